import type { PushConfig, SellerRow, TaskSpec } from '@switchyard/protocol';
import type {
  BreakerBoard,
  Bulkhead,
  Connection,
  PrincipalSigner,
  SellerTarget,
  SellerTransport,
} from '@switchyard/sellers';
import type { Clock } from '@switchyard/values';
import type { PendingTask } from './query/leg-answer.js';
import type { LegAnswer } from './query/leg-answer.js';
import type { Pages } from './query/further-pages.js';

export type LeasedCredential = NonNullable<SellerTarget['credential']>;

export interface MarketQuestion<Request, Answer> {
  readonly spec: TaskSpec<Request, Answer>;
  readonly request: Request;
  /**
   * The request for one connection, if ids differ by seller. Return the same object for equal requests: each object is
   * projected once.
   */
  readonly requestFor?: (connection: Connection) => Request;
  /** The seller's own webhook for a later answer. */
  readonly pushFor?: (connection: Connection) => PushConfig | undefined;
  /** Every connection of the organization, in the order of the rows. */
  readonly connections: readonly Connection[];
  readonly transport: SellerTransport;
  /**
   * Leases the credentials of these connections in one call, by connection id, without connections that have none. If
   * it rejects, legs that need a credential fail and the others continue. The secrets are copies for the fan-out: each
   * is wiped when its leg's call ends.
   */
  readonly leaseCredentials: (
    connections: readonly Connection[],
  ) => Promise<ReadonlyMap<string, LeasedCredential>>;
  /** Signs as the caller, for sellers that require a signature on this task. */
  readonly signer?: PrincipalSigner;
  /**
   * Fetches a seller's capabilities again and returns its updated connection; `undefined` if that fails or was done a
   * moment ago. Absent: the stored capabilities are used.
   */
  readonly relearn?: (connection: Connection) => Promise<Connection | undefined>;
  /**
   * Returns a seller that was asked without an account with the one that it is to be asked in, after it refused the question
   * for that; `undefined` if there is none. Absent: the refusal stays.
   */
  readonly withAccount?: (connection: Connection) => Promise<Connection | undefined>;
  readonly breakers: BreakerBoard;
  readonly bulkhead: Bulkhead;
  /** The caller, for turns at a busy seller. Absent: callers without a principal share one turn. */
  readonly caller?: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** For the whole request, leasing included, in milliseconds. */
  readonly deadlineMs: number;
  /** True if sellers that usually answer late are not waited for once all others have settled. */
  readonly isEarly?: true;
  /** Called for each row as it settles, the skipped ones first. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** Called once with the sellers that are asked, by slug, before their rows. */
  readonly onAsked?: (sellers: readonly string[]) => void;
  /** Called for each seller that has answered, before its row. */
  readonly onAnswer?: (leg: MarketLeg<Answer>) => void;
  /** Number of items in an answer. */
  readonly count: (answer: Answer) => number;
  /** Answers include their JSON texts, for evidence. */
  readonly wantsText?: true;
  /** How to read an answer of several pages. */
  readonly pages?: Pages<Answer>;
}

/** The result of one queried seller. */
export interface MarketLeg<Answer> extends LegAnswer<Answer> {
  readonly seller: string;
  readonly connection: Connection;
}

export interface MarketAnswer<Answer> {
  /** One per queried seller that returned anything, in the order of the connections. */
  readonly legs: readonly MarketLeg<Answer>[];
  /** One per seller that could be queried, in the order of the connections. */
  readonly rows: readonly SellerRow[];
  /** Sellers that will answer later. */
  readonly pending: readonly { readonly connection: Connection; readonly task: PendingTask }[];
}
