import { ProviderFailure } from '../providers/failures.ts';
import type { ProviderTime } from '../platform/provider-time.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Outcome } from '../store/generations/outcome.ts';

/** An attempt at one endpoint that failed. */
interface FailedAttempt {
  index: number;
  /** HTTP status of the provider's error; null if the provider reported no error. */
  providerStatus: number | null;
  /** Kind of the failure, as one word for the record. */
  word: string;
  durationMs: number;
}

/** Provider status that is recorded for an attempt that did not fail. */
const OK = 200;

/** Collects the attempts of one request. The charge and the request's record use them. */
export class AttemptLog {
  /** Index of the current or last attempt in the request's list of candidates. */
  index = 0;
  /** Time (performance.now()) at which the whole request had been sent to the provider; undefined until then. */
  sentAtMs: number | undefined;
  /** Failure of the current attempt; undefined unless the attempt failed. */
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
   * Records the time at which the whole request has been sent. A call for an earlier attempt leaves `sentAtMs`
   * unchanged: a provider may reject a large request before all of it was sent, and the next attempt may already be
   * running.
   */
  sent(index: number): void {
    this.#providerTime.sent();
    if (this.index === index) this.sentAtMs = performance.now();
  }

  /** Records that a provider sent data or failed. */
  received(): void {
    this.#providerTime.received();
  }

  fail(failure: FailedAttempt): void {
    this.failure = failure;
    this.#failed.push(failure);
  }

  /**
   * Records that an answer failed after it had begun.
   * @param error ignored unless it is a failure of the provider
   */
  brokeOff(error: unknown): void {
    if (!this.failure && error instanceof ProviderFailure) this.#brokenBy = [error.word];
  }

  /**
   * Returns the attempts in the form of the request's record: the failed attempts before the last one, the provider's
   * status of the last attempt, and one word for each failure. The times of the gateway and of providers are in whole
   * milliseconds.
   * @param receivedAtMs performance.now() when the request was received
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
