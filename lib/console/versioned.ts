/** Changes of what others may change meanwhile: with the tag of what was read, so that nobody overwrites another unawares. */

import { useState } from 'preact/hooks';
import { ApiFailure } from './gateway-client.ts';

export interface Versioned<Value> {
  value: Value;
  etag: string | null;
}

interface VersionedSave<Value> {
  readAgain: () => Promise<Versioned<Value>>;
  save: (etag: string | null) => Promise<void>;
  /** Whether what is edited is the same in both: what else others have changed is no conflict. */
  isSame: (before: Value, now: Value) => boolean;
}

/**
 * Saves with the tag of what was read. Where that is no longer what is there, `theirs` is what somebody else has made of it, and the next
 * save is made over that.
 */
export function useVersionedSave<Value>(read: Versioned<Value>, { readAgain, save, isSame }: VersionedSave<Value>) {
  const [base, setBase] = useState(read);
  const [theirs, setTheirs] = useState<Value | undefined>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const saveOver = async (from: Versioned<Value>): Promise<void> => {
    try {
      await save(from.etag);
    } catch (error) {
      if (!(error instanceof ApiFailure && error.status === 412)) throw error;
      const now = await readAgain();
      setBase(now);
      if (!isSame(from.value, now.value)) setTheirs(now.value);
      else if (now.etag !== from.etag) await saveOver(now);
    }
  };
  const submit = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      await saveOver(base);
    } catch (error) {
      setFailure(error);
    }
    setIsBusy(false);
  };
  return { base: base.value, theirs, failure, isBusy, submit };
}
