import type { Page } from 'playwright-core';

/** Returns the milliseconds to the first contentful paint. */
export async function firstPaintOf(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return (await page.evaluate(`new Promise((resolve) => {
    const watcher = new PerformanceObserver((list) => {
      const [entry] = list.getEntriesByName('first-contentful-paint');
      if (entry) resolve(entry.startTime);
    });
    watcher.observe({ type: 'paint', buffered: true });
  })`)) as number;
}
