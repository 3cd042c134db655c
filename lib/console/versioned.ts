/**
 * Edits resources that other people may change at the same time: a change is saved only over the ETag that was read.
 */

import { useState } from 'preact/hooks';
import type { DataOf } from './answers.ts';
import { useConsole } from './environment.ts';
import { ApiFailure } from './gateway-client.ts';
import { useLoaded } from './loaded.ts';

export interface Versioned<Value> {
  value: Value;
  etag: string | null;
}

/** Loads the resource at a path with its ETag. `readAgain` returns the current version. */
export function useVersioned<Value>(path: string) {
  const { client } = useConsole();
  const readAgain = async (signal?: AbortSignal): Promise<Versioned<Value>> => {
    const { body, etag } = await client.read<DataOf<Value>>(path, signal);
    return { value: body.data, etag };
  };
  return { loaded: useLoaded(readAgain, [client, path]), readAgain };
}

interface VersionedSave<Value> {
  readAgain: () => Promise<Versioned<Value>>;
  /** Saves over the version that has the ETag. */
  save: (etag: string | null, stored: Value) => Promise<void>;
  /** Whether the edited part is the same in both versions; changes to other parts are not a conflict. */
  isSame: (before: Value, now: Value) => boolean;
}

/**
 * Saves a resource if it still has the ETag that was read, or if its edited part is unchanged. Otherwise `theirs` is
 * the other person's version, and the next save overwrites it.
 */
export function useVersionedSave<Value>(read: Versioned<Value>, { readAgain, save, isSame }: VersionedSave<Value>) {
  const [base, setBase] = useState(read);
  const [theirs, setTheirs] = useState<Value | undefined>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const saveOver = async (from: Versioned<Value>): Promise<void> => {
    try {
      await save(from.etag, from.value);
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
