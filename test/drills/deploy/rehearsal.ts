import type { DeployedGateway } from './deployed-gateway.ts';
import type { MiniStack } from './ministack.ts';
import type { Release } from './release.ts';
import type { Reporter } from './report.ts';
import type { ServerProcess } from './server-process.ts';

export const shapes = ['functions', 'web'] as const;
export type Shape = (typeof shapes)[number];

/** Checkout with its synthesized templates. */
export interface Synthesized {
  checkout: string;
  assembly: string;
  stage: string;
}

export interface Rehearsal {
  shape: Shape;
  reporter: Reporter;
  emulator: MiniStack;
  release: Release;
  synthesize: (name: string, checkout: string, stage: string) => Promise<Synthesized>;
  deploy: (synthesized: Synthesized) => Promise<DeployedGateway>;
  destroy: (synthesized: Synthesized) => Promise<void>;
  /** Starts the server of a deployment and directs clients to it; undefined if there is no server. */
  serve: (gateway: DeployedGateway) => Promise<ServerProcess | undefined>;
}

/** Number of requests in each sequential step. */
export const REQUESTS = 10;
