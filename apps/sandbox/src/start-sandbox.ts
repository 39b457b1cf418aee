import type { AgentInfo } from './agent-info.js';

export interface SandboxOptions {
  /** Control port; 0 takes a free one. */
  readonly port: number;
  /** Where buys, keys and tokens are kept. Absent: a temporary folder, removed by `stop`. */
  readonly dataDir?: string;
  readonly seed: string;
  /** Milliseconds that a campaign day takes. */
  readonly dayMs: number;
  /** Multiplies every latency and approval time; 1 is life-like, 0.1 is for tests. */
  readonly scale?: number;
  /** Slugs of the personalities to start; absent: all. */
  readonly agents?: readonly string[];
}

export interface Sandbox {
  /** The control address: `/agents`, `/books`, `/calls`, `/healthz`. */
  readonly url: string;
  readonly agents: readonly AgentInfo[];
  stop(): Promise<void>;
}

/** The control port, which was asked for by number, belongs to somebody else. */
export class PortTaken extends Error {
  constructor(readonly port: number) {
    super(`port ${port} on 127.0.0.1 is taken`);
  }
}

export function startSandbox(_options: SandboxOptions): Promise<Sandbox> {
  return Promise.reject(new Error('not built yet'));
}
