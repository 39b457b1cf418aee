import type { BillingRepository, CreativeStore, ReadPorts, TaskLog } from '@switchyard/buys';
import type { AnswerCache } from '@switchyard/fanout';
import type { CallbackSecrets, OutboxStore } from '@switchyard/events';
import type { AnyTaskSpec, CallerVersion, SellerRow, TaskError, TaskStatus } from '@switchyard/protocol';
import type { PublisherStatements } from '@switchyard/sellers';
import type { NameReader } from '@switchyard/store';
import type {
  AccountRepository,
  DeclaredAccount,
  GrantDirectory,
  PrincipalDirectory,
  TenantScope,
} from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { OperatorCheck } from './operators.js';
import type { Quotas } from '../../caller/quotas.js';
import type { RateLimits } from '../../caller/rate-limits.js';
import type { Subscriptions } from '../operation/subscriptions.js';
import type { TestController } from './test-controller.js';
import type { PrincipalCaller, TaskCall } from './task-call.js';

/** An admitted call: its caller is allowed to make it, and its arguments are read. */
export interface HandledCall<Request> {
  readonly call: TaskCall;
  readonly scope: TenantScope;
  readonly spec: AnyTaskSpec;
  readonly version: CallerVersion;
  readonly args: JsonObject;
  readonly request: Request;
  /** Absent for a caller without credentials. */
  readonly principal?: PrincipalCaller;
  /** The account of the request; absent if it is about none. */
  readonly account?: DeclaredAccount;
  /** True for an account that this request declares by its first use. */
  readonly accountIsNew?: boolean;
}

/** The result of a task. The payload is in the caller's version; the service adds the envelope. */
export type Handled =
  | {
      readonly kind: 'done';
      readonly status: TaskStatus;
      readonly payload: JsonObject;
      readonly sellers?: readonly SellerRow[];
      readonly operationId?: string;
      /** The id of a stored operation's task, also if the answer is final and names no task. */
      readonly storedTaskId?: string;
      readonly taskId?: string;
      readonly replayed?: boolean;
      readonly message?: string;
    }
  | {
      readonly kind: 'failed';
      readonly status?: 'failed' | 'rejected' | 'canceled';
      readonly errors: readonly TaskError[];
      /** Other members, such as what sellers require to undo what was made; in the caller's version. */
      readonly beside?: JsonObject;
      readonly sellers?: readonly SellerRow[];
      readonly operationId?: string;
      readonly storedTaskId?: string;
    };

/** The dependencies of handlers: the ports, and facts about this installation. */
export interface HandlerDeps {
  readonly ports: ReadPorts;
  /** The organizations' libraries of creatives. */
  readonly creatives: CreativeStore;
  /** Stores answers that are sent in pages; if absent, they are sent whole. */
  readonly answers?: AnswerCache;
  readonly principals: PrincipalDirectory;
  /** Who can grant a missing permission; if absent, refusals name nobody. */
  readonly grants?: Pick<GrantDirectory, 'holders'>;
  /** The accounts that principals have declared. */
  readonly accounts: AccountRepository;
  /** Operations as their principals list them. */
  readonly taskLog: TaskLog;
  /** What vendors bill separately. */
  readonly billing: BillingRepository;
  /** The organization's own domain: the operator of its buys. */
  readonly domainOf: (scope: TenantScope) => Promise<string>;
  /** Checks with brands whether we may act for them; if absent, there is no check. */
  readonly operators?: OperatorCheck;
  /** Checks with publishers whether sellers may sell their supply; if absent, there is no check. */
  readonly publishers?: PublisherStatements;
  /**
   * True only in the local profile, where the first use of a brand and operator declares the account
   * (docs/protocol/accounts.md#two-planes).
   */
  readonly declareOnFirstUse: boolean;
  /**
   * The reason to refuse a buyer's callback address (docs/protocol/webhooks-out.md#registration-by-buyers); undefined
   * if it is accepted.
   */
  readonly refuseCallback: (url: string) => Promise<string | undefined>;
  /** True only in the local profile, where conformance runners register callbacks with placeholders for secrets. */
  readonly takesPlaceholderSecrets?: boolean;
  /** Seals the secrets of a callback; answers the credential's id, or undefined if the vault cannot seal. */
  readonly sealCallback: (
    scope: TenantScope,
    secrets: CallbackSecrets,
    url: string,
  ) => Promise<string | undefined>;
  /** Only in the local profile: what conformance runners seeded may be named without its seller's prefix. */
  readonly testController?: Pick<TestController, 'withLocalNames' | 'withTestNames' | 'isReady'>;
  /** Rate limits per caller; if absent, there are none. */
  readonly rates?: RateLimits;
  /** Quotas of organizations; if absent, there are none. */
  readonly quotas?: Pick<Quotas, 'takeCall'>;
  /** Names of clients, brands, campaigns and accounts; if absent, answers contain none. */
  readonly names?: Pick<NameReader, 'ofBuys'>;
  /** Those whom callers want to be told of changes; if absent, nobody can be. */
  readonly subscriptions?: Subscriptions;
  /** Webhook attempts about principals' media buys. */
  readonly outbox: Pick<OutboxStore, 'activity'>;
}

/**
 * A handler takes its own task's request, so only `any` can type them all. The spec that reads the request and the
 * handler that takes it are in one row, which keeps them in step.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyHandler = (deps: HandlerDeps, handled: HandledCall<any>) => Promise<Handled>;

/** Finds the handler of a task by its name in the protocol's table. Throws for a task that is not there. */
export type HandlerOf = (taskName: string) => AnyHandler;
