import type { Secret } from '@switchyard/values';
import type { PracticeDeps } from '../platform/practice/practice.routes.js';

export interface SwitchyardOptions {
  readonly dataDir: string;
  /** The variables of `settingsTable`. The AWS SDK reads its own variables itself. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host?: string;
  readonly port?: number;
  readonly portIsExplicit?: boolean;
  readonly version: string;
  /** What this process does; if absent, everything. */
  readonly role?: Role;
  /** The secret in the admin file of the data folder. */
  readonly adminSecret: Secret;
  /** True for addresses of the sandbox that belongs to this start. */
  readonly isSandboxUrl?: (agentUrl: string) => boolean;
  /** Reads the clock of the sandbox market of this start, after a move if one is given; undefined without a market. */
  readonly practiceClock?: PracticeDeps['practiceClock'];
  /** Resolves once the sellers of this start are live. */
  readonly sellersReady?: () => Promise<void>;
}

/**
 * `http` answers all requests and does no background work; `workers` runs the queue's processors and the schedules, and
 * answers only `/healthz`, `/readyz` and `/metrics`.
 */
export type Role = 'http' | 'workers';
