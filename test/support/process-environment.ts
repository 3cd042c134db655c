/**
 * Sets variables of this process, which it may share with the files of tests that come after: a gateway that one of them starts would have
 * them, too, and keep its books in a table of others.
 * @returns what puts everything back
 */
export function setEnvironment(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
