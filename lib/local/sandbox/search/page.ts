/** A page of the sandbox's web. */
export interface SandboxPage {
  url: string;
  title: string;
  /** When it was written: YYYY-MM-DD. */
  published: string;
  text: string;
}
