/**
 * Says on standard error how far a long work has come, in one line that is written over. Says nothing where nobody watches.
 * @returns to be told of each part that is done
 */
export function showProgress(verb: string, parts: number): (part: string) => void {
  if (!process.stderr.isTTY) return () => {};
  let done = 0;
  return (part) => {
    done += 1;
    process.stderr.write(done < parts ? `\r${verb} ${part} (${done} of ${parts})` : '\r\u001B[K');
  };
}
