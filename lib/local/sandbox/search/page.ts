export interface SandboxPage {
  url: string;
  title: string;
  /** Date as YYYY-MM-DD. */
  published: string;
  text: string;
}
