import { ProviderFailure } from '../providers/failures.ts';
import type { ProviderTime } from '../platform/provider-time.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Outcome } from '../store/generations/outcome.ts';

/** An attempt that gave no answer. It costs nothing, unless it was the last one. */
interface FailedAttempt {
  index: number;
  /** The HTTP status of the provider's answer; null where there was none. */
  providerStatus: number | null;
  /** The failure, in one word. */
  word: string;
  durationMs: number;
}

/** The status of an attempt that has not failed. */
const OK = 200;

/** The attempts of one request, noted while they are made: for its charge, and for its record. */
export class AttemptLog {
  /** The attempt that is under way, or was the last: its place among the offers of the request. */
  index = 0;
  /** performance.now() at which its whole request was sent to its provider; undefined until then. */
  sentAtMs: number | undefined;
  /** How it has failed, if it has. */
  failure: FailedAttempt | undefined;
  readonly #failed: FailedAttempt[] = [];
  #brokenBy: string[] = [];
  readonly #providerTime: ProviderTime;

  constructor(providerTime: ProviderTime) {
    this.#providerTime = providerTime;
  }

  begin(index: number): void {
    this.index = index;
    this.sentAtMs = undefined;
    this.failure = undefined;
  }

  /** The whole request of an attempt is with its provider; a large one may have been refused before, and another begun. */
  sent(index: number): void {
    this.#providerTime.sent();
    if (this.index === index) this.sentAtMs = performance.now();
  }

  /** Something has come from a provider, or its failure. */
  received(): void {
    this.#providerTime.received();
  }

  fail(failure: FailedAttempt): void {
    this.failure = failure;
    this.#failed.push(failure);
  }

  /** An answer that had begun has failed. @param error only a failure of its provider is noted */
  brokeOff(error: unknown): void {
    if (!this.failure && error instanceof ProviderFailure) this.#brokenBy = [error.word];
  }

  /**
   * The attempts as the record of the request keeps them: those before the one that answered, or was the last; what the provider of
   * that one answered with; what went wrong with each; and the time of the gateway and of providers, in whole milliseconds.
   * @param receivedAtMs performance.now() at which the request came in
   */
  recorded(
    triedAt: (index: number) => Pick<Candidate, 'model' | 'endpoint'>,
    receivedAtMs: number,
  ): Pick<Outcome, 'failedAttempts' | 'providerStatus' | 'failures' | 'overheadMs' | 'providerMs'> {
    const failedAttempts = this.#failed
      .filter((attempt) => attempt !== this.failure)
      .map(({ index, providerStatus, durationMs }) => {
        const { endpoint, model } = triedAt(index);
        const { id: endpointId, provider } = endpoint;
        const modelPermaslug = model.data.permaslug;
        return { endpointId, modelPermaslug, providerName: provider.name, status: providerStatus, durationMs };
      });
    return {
      failedAttempts,
      providerStatus: this.failure ? this.failure.providerStatus : OK,
      failures: [...this.#failed.map(({ word }) => word), ...this.#brokenBy],
      overheadMs: rounded(this.#providerTime.sinceReceipt(receivedAtMs)),
      providerMs: rounded(this.#providerTime.spent()),
    };
  }
}

function rounded(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds);
}
