import type { DataPolicy } from './schema.ts';

/** Whether prompts are logged or used for training. */
export function collectsData({ logs_prompts, trains_on_prompts }: DataPolicy): boolean {
  return logs_prompts || trains_on_prompts;
}

/** Whether nothing of a prompt is stored; false if the policy states no retention period. */
export function retainsNothing(policy: DataPolicy): boolean {
  return !collectsData(policy) && policy.retention_days === 0;
}
