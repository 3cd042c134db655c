import { englishPages } from './english-pages.ts';
import type { SandboxPage } from './page.ts';
import { russianPages } from './russian-pages.ts';

/** The sandbox's web: a few pages on several hosts. */
export const sandboxPages: readonly SandboxPage[] = [...russianPages, ...englishPages];
