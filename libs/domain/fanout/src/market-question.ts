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
import type { LegAnswer, PendingTask } from './query/query-seller.js';
import type { Pages } from './query/further-pages.js';

export type LeasedCredential = NonNullable<SellerTarget['credential']>;

export interface MarketQuestion<Request, Answer> {
  readonly spec: TaskSpec<Request, Answer>;
  readonly request: Request;
  /**
   * A separate request per connection, where the ids differ by seller. Equal requests are the same object: each is
   * translated once.
   */
  readonly requestFor?: (connection: Connection) => Request;
  /** The seller's own webhook for a later answer. */
  readonly pushFor?: (connection: Connection) => PushConfig | undefined;
  /** Every connection of the organization, in the order of the rows. */
  readonly connections: readonly Connection[];
  readonly transport: SellerTransport;
  /**
   * Leases the credentials of all these connections in one go, by connection id. Connections without a credential
   * are not among them. When it rejects, legs that need one fail and the others go on. The secrets are the fan-out's
   * own copies: each is wiped when its leg's call is over.
   */
  readonly leaseCredentials: (
    connections: readonly Connection[],
  ) => Promise<ReadonlyMap<string, LeasedCredential>>;
  /** Signs as the caller, for sellers that require a signature on this task. */
  readonly signer?: PrincipalSigner;
  /**
   * Asks a seller anew what it speaks and answers its connection as it is now; nothing where it cannot be asked, or was
   * asked a moment ago. Absent: what is known of sellers stands.
   */
  readonly relearn?: (connection: Connection) => Promise<Connection | undefined>;
  readonly breakers: BreakerBoard;
  readonly bulkhead: Bulkhead;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** For the whole request, leasing included, in milliseconds. */
  readonly deadlineMs: number;
  /** Called for each row as it settles, the skipped ones first. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
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
