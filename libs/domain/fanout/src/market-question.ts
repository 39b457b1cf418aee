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
   * A request of its own for each connection, where the ids it names differ by seller. What is the same for several of
   * them is the same object: it is translated once.
   */
  readonly requestFor?: (connection: Connection) => Request;
  /** Where a seller may send an answer that comes later: an address of its own. */
  readonly pushFor?: (connection: Connection) => PushConfig | undefined;
  /** Every connection of the organization, in the order in which rows are shown. */
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
  /** Signs as whoever asks, for sellers that ask for a signature on this task. */
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
  /** For the whole question, leasing included, in milliseconds. */
  readonly deadlineMs: number;
  /** Told of each row as it settles, the skipped ones first. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** How many items an answer holds. */
  readonly count: (answer: Answer) => number;
  /** Answers bring their texts as well, for evidence. */
  readonly wantsText?: true;
  /** How an answer of several pages is read to its end. */
  readonly pages?: Pages<Answer>;
}

/** What one seller that was asked brought. */
export interface MarketLeg<Answer> extends LegAnswer<Answer> {
  readonly seller: string;
  readonly connection: Connection;
}

export interface MarketAnswer<Answer> {
  /** One per seller that was asked and came back with anything, in the order of the connections. */
  readonly legs: readonly MarketLeg<Answer>[];
  /** One per seller that could have been asked, in the order of the connections. */
  readonly rows: readonly SellerRow[];
  /** Sellers that will answer later. */
  readonly pending: readonly { readonly connection: Connection; readonly task: PendingTask }[];
}
