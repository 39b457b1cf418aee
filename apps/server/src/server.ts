import type { PrincipalDirectory } from '@switchyard/tenancy';
import type { Clock, Result, Secret } from '@switchyard/values';
import type { AdminService } from './application/admin.js';
import type { MetricsPage, ReadyCheck } from './application/health.js';
import type { TaskService } from './application/task-call.js';
import type { WebhookIntake } from './application/webhook-intake.js';
import { err } from '@switchyard/values';

/** Everything that stands behind the doors. */
export interface ServerPorts {
  readonly tasks: TaskService;
  readonly admin: AdminService;
  readonly webhooks: WebhookIntake;
  readonly principals: Pick<PrincipalDirectory, 'findByTokenHash'>;
  readonly ready: ReadyCheck;
  readonly metrics: MetricsPage;
  readonly clock: Clock;
}

export interface ServerOptions {
  readonly ports: ServerPorts;
  /** The organization that answers callers without credentials (ruling 3); absent: nobody does. */
  readonly publicOrganizationId?: string;
  /** What the admin file of the data folder holds: opens `POST /v1/tokens` and nothing else. */
  readonly adminSecret?: Secret;
  /** Where the doors bind; loopback unless told (ruling 6). */
  readonly host?: string;
  readonly port?: number;
  /** True when somebody asked for this very port: then a taken one is a failure, not a reason to take the next. */
  readonly portIsExplicit?: boolean;
  /** Our own certificate, PEM. Needed to bind beyond loopback unless a trusted proxy stands in front. */
  readonly tls?: { readonly certificate: string; readonly key: Secret };
  /** Addresses (CIDR or single) of the proxies that end TLS for us. */
  readonly trustedProxies?: readonly string[];
  /** The address that counterparties reach us at, when it is not where we bind. Without a trailing slash. */
  readonly publicUrl?: string;
  readonly version?: string;
  /** Told of what should not have happened: a thrown error behind a door. The caller hears no more than a code. */
  readonly onUnexpected?: (error: unknown, where: string) => void;
}

export interface ServerFailure {
  readonly code: 'port_taken' | 'address_refused' | 'cannot_listen';
  /** For a person: says what to do. */
  readonly message: string;
}

export interface RunningServer {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops listening, ends what is under way and resolves when the last answer has left. */
  close(): Promise<void>;
}

/** Opens the doors. Signals are the caller's business: nothing here listens for them. */
export function createServer(_options: ServerOptions): Promise<Result<RunningServer, ServerFailure>> {
  return Promise.resolve(err({ code: 'cannot_listen', message: 'The doors are not wired yet.' }));
}
