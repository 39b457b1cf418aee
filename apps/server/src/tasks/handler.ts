import type { BillingRepository, CreativeStore, ReadPorts, TaskLog } from '@switchyard/buys';
import type { AnswerCache } from '@switchyard/fanout';
import type { CallbackSecrets, OutboxStore } from '@switchyard/events';
import type { AnyTaskSpec, CallerVersion, SellerRow, TaskError, TaskStatus } from '@switchyard/protocol';
import type { PublisherWords } from '@switchyard/sellers';
import type { NameReader } from '@switchyard/store';
import type {
  AccountRepository,
  DeclaredAccount,
  GrantDirectory,
  PrincipalDirectory,
  TenantScope,
} from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { OperatorCheck } from './caller/operator-check.js';
import type { RateLimits } from './caller/rate-limits.js';
import type { TestController } from './ports/test-controller.js';
import type { PrincipalCaller, TaskCall } from './task-call.js';

/** A call that has been let in: its caller may do this, its arguments are read. */
export interface HandledCall<Request> {
  readonly call: TaskCall;
  readonly scope: TenantScope;
  readonly spec: AnyTaskSpec;
  readonly version: CallerVersion;
  readonly args: JsonObject;
  readonly request: Request;
  /** Absent for a caller without credentials. */
  readonly principal?: PrincipalCaller;
  /** The account the request is for; absent where it is about none. */
  readonly account?: DeclaredAccount;
  /** True for an account that this request declares by being its first use. */
  readonly accountIsNew?: boolean;
}

/** What a task came to. The payload is already in the caller's form; the envelope is added by the service. */
export type Handled =
  | {
      readonly kind: 'done';
      readonly status: TaskStatus;
      readonly payload: JsonObject;
      readonly sellers?: readonly SellerRow[];
      readonly operationId?: string;
      /** The task's id of a stored operation, also where the answer is final and names no task. */
      readonly storedTaskId?: string;
      readonly taskId?: string;
      readonly replayed?: boolean;
      readonly message?: string;
    }
  | {
      readonly kind: 'failed';
      readonly status?: 'failed' | 'rejected' | 'canceled';
      readonly errors: readonly TaskError[];
      /** What else there is to say, such as what sellers want for undoing what was made; in the caller's form. */
      readonly beside?: JsonObject;
      readonly sellers?: readonly SellerRow[];
      readonly operationId?: string;
      readonly storedTaskId?: string;
    };

/** What handlers stand on: the ports, and the few facts about this installation. */
export interface HandlerDeps {
  readonly ports: ReadPorts;
  /** The organizations' libraries of creatives. */
  readonly creatives: CreativeStore;
  /** Where answers stand that go out in pages; absent, they go out whole. */
  readonly answers?: AnswerCache;
  readonly principals: PrincipalDirectory;
  /** Who can grant what a caller lacks; absent: nobody is named. */
  readonly grants?: Pick<GrantDirectory, 'holders'>;
  /** The accounts that principals have declared. */
  readonly accounts: AccountRepository;
  /** Operations as their principals list them. */
  readonly taskLog: TaskLog;
  /** What vendors bill elsewhere. */
  readonly billing: BillingRepository;
  /** The organization's own domain: the operator of what it buys. */
  readonly domainOf: (scope: TenantScope) => Promise<string>;
  /** Asks brands whether we may act for them; absent: nobody is asked. */
  readonly operators?: OperatorCheck;
  /** Asks publishers whether they let sellers sell what is theirs; absent: nobody is asked. */
  readonly publishers?: PublisherWords;
  /**
   * True in the local profile alone, where the first use of a brand and operator declares the account
   * (docs/protocol/accounts.md#two-planes).
   */
  readonly declareOnFirstUse: boolean;
  /**
   * Judges an address a buyer gave for callbacks (docs/protocol/webhooks-out.md#registration-by-buyers); the reason
   * when it is refused.
   */
  readonly refuseCallback: (url: string) => Promise<string | undefined>;
  /** True in the local profile alone, where conformance runners register callbacks with placeholders for secrets. */
  readonly takesPlaceholderSecrets?: boolean;
  /** Seals what a callback needs to stay secret; the credential's id, or nothing when the vault cannot take it. */
  readonly sealCallback: (
    scope: TenantScope,
    secrets: CallbackSecrets,
    url: string,
  ) => Promise<string | undefined>;
  /** In the local profile alone: what conformance runners seeded may be called without its seller's name. */
  readonly rehearsal?: Pick<TestController, 'withLocalNames' | 'withTestNames' | 'isReady'>;
  /** How often who may call; absent: as often as they like. */
  readonly rates?: RateLimits;
  /** Names of clients, brands, campaigns and accounts; absent: answers name none. */
  readonly names?: Pick<NameReader, 'ofBuys'>;
  /** Attempts at telling principals of their media buys. */
  readonly outbox: Pick<OutboxStore, 'activity'>;
}
