import { Checkpointer } from '../accounting/checkpointer.ts';
import { reportSettlement } from '../accounting/report.ts';
import type { Admitted } from '../admission/admit.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import type { SharedHealth } from '../routing/health.ts';
import type { EndpointOfModel } from '../routing/exclusions.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import type { Payer } from '../store/accounts/payer.ts';
import type { Table } from '../store/table/table.ts';
import { raiseAlarms, type UsageAnomalies } from './usage-anomalies.ts';

interface ReportTools {
  table: Table;
  queue: QueueSender;
  health: Pick<SharedHealth, 'publish'>;
}

/** Reports the outcome of a generation, in its record while it is running, and to settlement at its end. */
export class SettlementSender {
  readonly #tools: ReportTools;
  readonly #generation: { generationId: string; payer: Payer };
  readonly #admitted: Pick<Admitted, 'extender' | 'recorded'>;
  readonly #checkpointer: Checkpointer;

  constructor(
    tools: ReportTools,
    generation: { generationId: string; payer: Payer },
    admitted: Pick<Admitted, 'extender' | 'recorded'>,
  ) {
    const { generationId: id, payer } = generation;
    this.#tools = tools;
    this.#generation = generation;
    this.#admitted = { extender: admitted.extender, recorded: admitted.recorded };
    this.#checkpointer = new Checkpointer(tools.table, { accountId: payer.accountId, id });
  }

  checkpoint(measure: () => Outcome): void {
    this.#checkpointer.tick(measure);
  }

  /** Returns whether the generation has a record; without one, nothing is settled. Never rejects. */
  async isRecorded(): Promise<boolean> {
    return this.#admitted.recorded
      ? this.#admitted.recorded.then(
          () => true,
          () => false,
        )
      : true;
  }

  /** Ends the work for a generation without a record: publishes the results of its attempts. */
  drop(): Promise<void> {
    return this.#tools.health.publish();
  }

  /**
   * Reports the outcome to settlement. Call this method once, as the last step: Lambda may freeze the function
   * afterwards.
   * @param candidate the candidate that answered, or the last one tried
   */
  async settle(
    outcome: Outcome,
    { candidate, surprises }: { candidate: EndpointOfModel; surprises: UsageAnomalies },
  ): Promise<void> {
    const { table, queue, health } = this.#tools;
    const { generationId, payer } = this.#generation;
    const { hold } = await this.#admitted.extender.settled();
    await this.#checkpointer.settled();
    raiseAlarms(surprises, { generationId, candidate, cost: outcome.cost });
    await Promise.all([reportSettlement(table, queue, { generationId, payer, hold, outcome }), health.publish()]);
  }
}
