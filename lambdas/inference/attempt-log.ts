import { ProviderFailure } from '../providers/failures.ts';
import type { ProviderTime } from '../platform/provider-time.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Outcome } from '../store/generations/outcome.ts';

interface FailedAttempt {
  index: number;
  /** HTTP status of the provider's error; null if the provider reported none. */
  providerStatus: number | null;
  word: string;
  durationMs: number;
}

const OK = 200;

export class AttemptLog {
  index = 0;
  /** performance.now() when the current attempt's latest request had been sent completely; undefined until then. */
  sentAtMs: number | undefined;
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

  /**
   * Records that an attempt has sent its whole request. Sets `sentAtMs` only for the current attempt, because an
   * earlier attempt may end its upload later: its provider may answer before it has the whole request.
   */
  sent(index: number): void {
    this.#providerTime.sent();
    if (this.index === index) this.sentAtMs = performance.now();
  }

  received(): void {
    this.#providerTime.received();
  }

  fail(failure: FailedAttempt): void {
    this.failure = failure;
    this.#failed.push(failure);
  }

  /**
   * Records that an answer failed after it had begun. Ignores a failure that is already recorded, and errors that are
   * not failures of the provider.
   */
  brokeOff(error: unknown): void {
    if (!this.failure && error instanceof ProviderFailure) this.#brokenBy = [error.word];
  }

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
