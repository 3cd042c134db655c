/** A page of the sandbox's web. */
export interface Page {
  url: string;
  title: string;
  /** When it was written: YYYY-MM-DD. */
  published: string;
  text: string;
}
