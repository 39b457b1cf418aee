import type { FastifyRequest } from 'fastify';
import type { GrantDirectory, IdentityDirectory, IsStopped, PrincipalDirectory } from '@switchyard/tenancy';
import type { Clock, Secret } from '@switchyard/values';
import type { IssuedTokens } from '../caller/issued-tokens.js';
import type { Quotas } from '../caller/quotas.js';
import type { RateLimits } from '../caller/rate-limits.js';
import type { RequestSignatures } from '../caller/request-signatures.js';
import type { TaskService } from '../tasks/call/task-call.js';
import type { TestController } from '../tasks/call/test-controller.js';
import type { AnsweredTasks } from '../tasks/operation/answered-tasks.js';
import type { TaskPush } from '../tasks/operation/task-push.js';
import type { AccessTokens } from './access/access-tokens.js';
import type { Schemes } from './access/schemes.js';
import type { ReadSession } from './access/session.js';

/** Nest's token of the dependencies of every controller. */
export const HTTP_CONTEXT = Symbol('HTTP_CONTEXT');

/** What stands behind the endpoints of tasks, and what callers are identified by. */
export interface EndpointPorts {
  readonly tasks: TaskService;
  readonly taskPush: TaskPush;
  readonly answeredTasks: AnsweredTasks;
  /** Only in the local profile. */
  readonly testController?: TestController;
  readonly signatures: RequestSignatures;
  readonly principals: Pick<PrincipalDirectory, 'findByTokenHash'>;
  /** Who can grant a missing permission; if absent, refusals name nobody. */
  readonly grants?: Pick<GrantDirectory, 'holders'>;
  readonly identities: Pick<IdentityDirectory, 'find' | 'prove'>;
  readonly issuedTokens: IssuedTokens;
  readonly rates: RateLimits;
  readonly quotas?: Pick<Quotas, 'take'>;
  readonly isStopped: IsStopped;
  readonly ready: ReadyCheck;
  readonly metrics: MetricsPage;
  readonly clock: Clock;
}

export interface HttpContext extends EndpointPorts {
  readonly publicOrganizationId?: string;
  readonly adminSecret?: Secret;
  /**
   * Certificate names of proxies that may pass their caller's certificate
   * (docs/protocol/accounts.md#credentials-of-callers).
   */
  readonly certificateProxies: readonly string[];
  /** The authorization server of this instance, which verifies its own tokens; absent if there is none. */
  readonly accessTokens?: AccessTokens;
  readonly readSession: ReadSession;
  /** The accepted authentication schemes, for answers that name them. */
  readonly schemes: Schemes;
  /** The address that a request is counted under. */
  readonly addressOf: (request: FastifyRequest) => string;
  /** Whether it was made on this machine, and not by a proxy on it. */
  readonly fromThisMachine: (request: FastifyRequest) => boolean;
  readonly version: string;
  /** The text of an answer over MCP. */
  readonly mcpText: 'summary' | 'json';
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Public address, without a trailing slash. Known once we listen. */
  url(): string;
}

/** Whether this process can serve requests. Each dependency reports separately. */
interface ReadyCheck {
  check(): Promise<{ readonly ready: boolean; readonly parts: Readonly<Record<string, string>> }>;
}

/** A request whose answer is written. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The pattern of its route, without ids; absent where no route fits. */
  readonly route?: string;
  readonly status: number;
  readonly durationMs: number;
  /** With headers. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly caller?: string;
  readonly traceId?: string;
}

/** The page that a scraper reads. */
interface MetricsPage {
  readonly contentType: string;
  /** Called for each answer. */
  answered?(answer: AnsweredRequest): void;
  /** The management port serves the page, so the public one does not. */
  readonly isElsewhere?: boolean;
  render(): Promise<string>;
}
