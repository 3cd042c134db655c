export type StepResult = 'ok' | 'FAILED' | 'not possible in the emulator';

export interface DeployStep {
  phase: string;
  step: string;
  result: StepResult;
  says: string;
  seconds: number;
}

export interface DeployReport {
  steps: DeployStep[];
  /** Durations in seconds, in order. */
  phases: Record<string, number>;
}

export class Reporter {
  readonly steps: DeployStep[] = [];
  readonly phases: Record<string, number> = {};
  readonly #report: (step: DeployStep) => void;
  #phase = '';
  #phaseBeganMs = 0;
  #stepBeganMs = 0;

  constructor(report: (step: DeployStep) => void) {
    this.#report = report;
  }

  /** Runs one phase, reports an exception as a failed step, and returns whether no step failed. */
  async during(phase: string, work: () => Promise<void>): Promise<boolean> {
    this.#phase = phase;
    this.#phaseBeganMs = performance.now();
    this.#stepBeganMs = this.#phaseBeganMs;
    const begun = this.steps.length;
    try {
      await work();
    } catch (error) {
      this.done('the phase', false, (error as Error).message);
    }
    this.phases[phase] = secondsSince(this.#phaseBeganMs);
    return this.steps.slice(begun).every(({ result }) => result !== 'FAILED');
  }

  done(step: string, isRight: boolean, says: string): void {
    this.#add(step, isRight ? 'ok' : 'FAILED', says);
  }

  notPossible(step: string, says: string): void {
    this.#add(step, 'not possible in the emulator', says);
  }

  #add(step: string, result: StepResult, says: string): void {
    const seconds = secondsSince(this.#stepBeganMs);
    this.#stepBeganMs = performance.now();
    this.steps.push({ phase: this.#phase, step, result, says, seconds });
    this.#report(this.steps.at(-1)!);
  }
}

function secondsSince(beganMs: number): number {
  return Math.round((performance.now() - beganMs) / 100) / 10;
}

export function lineOf({ phase, step, result, says, seconds }: DeployStep): string {
  const head = result === 'ok' ? 'ok    ' : result;
  return `${head}  ${phase}: ${step}: ${says} (${seconds} s)`;
}

/** Returns the counts of results, the durations, and whether a step failed. */
export function summaryOf({ steps, phases }: DeployReport): string {
  const count = (result: StepResult) => steps.filter((step) => step.result === result).length;
  const times = Object.entries(phases).map(([phase, seconds]) => `${phase} ${seconds} s`);
  const total = Object.values(phases).reduce((sum, seconds) => sum + seconds, 0);
  const failed = count('FAILED');
  return [
    `${count('ok')} ok, ${failed} failed, ${count('not possible in the emulator')} not possible in the emulator`,
    `Times: ${times.join(', ')}; ${total.toFixed(1)} s in total`,
    failed === 0 ? 'All steps passed.' : 'At least one step FAILED.',
  ].join('\n');
}
