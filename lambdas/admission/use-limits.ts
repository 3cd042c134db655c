import type { UseLimits } from '../store/accounts/use-limits.ts';
import type { Caller } from './caller.ts';

interface OwnedLimits {
  /** Name of the key, workspace or member in error messages. */
  owner: string;
  limits: UseLimits;
}

/** Returns the limits of a key and its owners; a request must satisfy all of them. */
export function useLimitsFor({ key, workspace, member }: Caller): OwnedLimits[] {
  return [
    { owner: 'This key', limits: key },
    ...(workspace ? [{ owner: 'The workspace of this key', limits: workspace }] : []),
    ...(member ? [{ owner: 'The member of this key', limits: member }] : []),
  ];
}
