import type { DataPolicy } from './schema.ts';

/** Prompts are logged, or trained on. */
export function collectsData({ logs_prompts, trains_on_prompts }: DataPolicy): boolean {
  return logs_prompts || trains_on_prompts;
}

/** Nothing of a prompt is kept. A policy that does not say for how long is no promise. */
export function retainsNothing(policy: DataPolicy): boolean {
  return !collectsData(policy) && policy.retention_days === 0;
}
