import { ProviderFailure } from '../providers/failures.ts';
import type { ProviderTime } from '../platform/provider-time.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Outcome } from '../store/generations/outcome.ts';

/** An attempt without an answer. It costs nothing, unless it was the last attempt. */
interface FailedAttempt {
  index: number;
  /** HTTP status of the provider's response; null without a response. */
  providerStatus: number | null;
  /** The failure, in one word. */
  word: string;
  durationMs: number;
}

/** The status of an attempt that has not failed. */
const OK = 200;

/** Collects the attempts of one request, for its charge and its record. */
export class AttemptLog {
  /** Index of the current or last attempt among the offers of the request. */
  index = 0;
  /** performance.now() when the provider had received the whole request; undefined until then. */
  sentAtMs: number | undefined;
  /** Failure of the current attempt, if it has failed. */
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
   * Notes that the provider has received the whole request. If it refused a large request before that, another attempt
   * has begun, and the time is not noted.
   */
  sent(index: number): void {
    this.#providerTime.sent();
    if (this.index === index) this.sentAtMs = performance.now();
  }

  /** Notes that a provider sent data or failed. */
  received(): void {
    this.#providerTime.received();
  }

  fail(failure: FailedAttempt): void {
    this.failure = failure;
    this.#failed.push(failure);
  }

  /**
   * Notes that an answer failed after it had begun.
   * @param error only failures of the provider are kept
   */
  brokeOff(error: unknown): void {
    if (!this.failure && error instanceof ProviderFailure) this.#brokenBy = [error.word];
  }

  /**
   * Attempts in the form of the request's record. It has the attempts before the last one, the provider's status for
   * the last one, and the failure of each. It also has the time of the gateway and of providers, in whole milliseconds.
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
