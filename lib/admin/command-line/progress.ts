/**
 * Shows progress in one line of standard error, if that is a terminal.
 * @returns a function to call after each part of the work
 */
export function showProgress(verb: string, parts: number): (part: string) => void {
  if (!process.stderr.isTTY) return () => {};
  let done = 0;
  return (part) => {
    done += 1;
    process.stderr.write(done < parts ? `\r${verb} ${part} (${done} of ${parts})` : '\r\u001B[K');
  };
}
