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

/** The means of settlement: there before anything is held. */
interface ReportTools {
  table: Table;
  queue: QueueSender;
  /** Tells the other instances what came of attempts, while the generation is reported. */
  health: Pick<SharedHealth, 'publish'>;
}

/** Reports what a generation comes to: to its record while it runs, and to settlement when it is over. */
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

  /** Records what the generation has come to so far, if it is time to. */
  checkpoint(measure: () => Outcome): void {
    this.#checkpointer.tick(measure);
  }

  /** Whether there is a record; otherwise what was held is released, or left to the sweep, and nothing is settled. Never rejects. */
  async isRecorded(): Promise<boolean> {
    return this.#admitted.recorded
      ? this.#admitted.recorded.then(
          () => true,
          () => false,
        )
      : true;
  }

  /** Ends a generation of which there is no record. */
  drop(): Promise<void> {
    return this.#tools.health.publish();
  }

  /**
   * Hands the generation over to settlement; call it once. Lambda freezes the function after that.
   * @param candidate the one that answered, or was the last
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
