import type { UseLimits } from '../store/accounts/use-limits.ts';
import type { Caller } from './caller.ts';

interface OwnedLimits {
  /** Key, workspace or member that has the limits, for error messages. */
  owner: string;
  limits: UseLimits;
}

/** Returns the limits that apply to the requests of a key. A request must satisfy all of these limits. */
export function useLimitsFor({ key, workspace, member }: Caller): OwnedLimits[] {
  return [
    { owner: 'This key', limits: key },
    ...(workspace ? [{ owner: 'The workspace of this key', limits: workspace }] : []),
    ...(member ? [{ owner: 'The member of this key', limits: member }] : []),
  ];
}
