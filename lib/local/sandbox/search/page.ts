/** Page in the index of the sandbox's search engine. */
export interface SandboxPage {
  url: string;
  title: string;
  /** Date of publication, as YYYY-MM-DD. */
  published: string;
  text: string;
}
