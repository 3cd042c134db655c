/**
 * Sets environment variables of this process until they are restored. They must be restored, because a later test file
 * in the same process could start a gateway, which would inherit them and use the wrong table.
 * @returns a function that restores the environment
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
