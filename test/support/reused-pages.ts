import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openPage } from './chromium.ts';

/** Pages that several tests use: a new page takes a second of CPU time, because it is a new process. */
export interface ReusedPages {
  /** Returns an empty page with these settings. */
  take: (options: BrowserContextOptions) => Promise<Page>;
  /** Removes listeners, routes, storage and cookies, and offers the page to the next test. */
  giveBack: (page: Page) => Promise<void>;
}

export function reusedPages(browser: Browser): ReusedPages {
  const free = new Map<string, Page[]>();
  const settings = new Map<Page, string>();
  return {
    take: async (options) => {
      const name = JSON.stringify(options);
      const page = free.get(name)?.pop() ?? (await openPage(browser, options));
      settings.set(page, name);
      return page;
    },
    giveBack: async (page) => {
      page.removeAllListeners();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      await page.context().clearCookies();
      await page.goto('about:blank');
      const name = settings.get(page)!;
      free.set(name, [...(free.get(name) ?? []), page]);
    },
  };
}
