/** One buy of the flood: its seller, and the two webhook addresses that the seller has. */
export interface FloodBuy {
  /** Index of the seller. */
  readonly seller: number;
  readonly mediaBuyId: string;
  readonly sellerMediaBuyId: string;
  readonly sellerTaskId: string;
  readonly sellerOperationId: string;
  readonly packages: readonly string[];
  readonly taskAddress: string;
  readonly reportAddress: string;
}

/** The input of the sellers' process after the buys are made. */
export interface FloodPlan {
  readonly seed: number;
  /** Base URL of the server under test. */
  readonly url: string;
  readonly buys: readonly FloodBuy[];
}

/** A figure of one package. Micros are text, because it is sent between processes as JSON. */
interface FloodRow {
  readonly packageId: string;
  readonly micros: string;
}

/** The content of an event, for the model. */
export type FloodUpdate =
  | { readonly kind: 'task'; readonly status: string }
  | {
      readonly kind: 'report';
      readonly type: 'scheduled' | 'adjusted' | 'final';
      readonly day: string;
      readonly sequence: number;
      readonly rows: readonly FloodRow[];
      /** Why a person must decide about it. */
      readonly wrong?: 'after_final' | 'sequence_behind_time';
    }
  | { readonly kind: 'impairment'; readonly id: string; readonly isResolved: boolean }
  /** Another body with a used key. */
  | { readonly kind: 'changed' }
  /** Signed by another key than the seller's. */
  | { readonly kind: 'forged' };

export interface FloodEvent {
  readonly key: string;
  /** Index of the buy. */
  readonly buy: number;
  readonly address: 'task' | 'report';
  readonly body: string;
  readonly update: FloodUpdate;
  /** Names of events that must be acknowledged before this one is sent. */
  readonly after: readonly string[];
  /** The name by which other events wait for it; keys may be repeated. */
  readonly name: string;
  /** Minimum number of sends: the same bytes with the same key. */
  readonly copies: number;
}

/** The expected state of one buy. Rows are lines of text, sorted, so that they can be compared. */
export interface ExpectedBuy {
  readonly mediaBuyId: string;
  readonly leg: string;
  /** `package day sequence micros current|superseded` */
  readonly versions: readonly string[];
  /** `day micros` of the spend. */
  readonly spend: readonly string[];
  readonly reportEntries: number;
  readonly impairmentEntries: number;
  /** `id open|resolved` */
  readonly impairments: readonly string[];
}

export interface Expected {
  readonly buys: readonly ExpectedBuy[];
  /** By key: the allowed states of its event. */
  readonly events: Readonly<Record<string, readonly string[]>>;
  /** Groups of keys with the same content: at most one of each may have an effect. */
  readonly groups: readonly (readonly string[])[];
  /** Keys that were used again with another body. */
  readonly changed: readonly string[];
  readonly forged: readonly string[];
}

export interface FloodCounts {
  readonly posts: number;
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly refused: number;
  readonly busy: number;
  /** Answers that a healthy server never gives to these posts. */
  readonly unexpected: readonly string[];
}

export type ToSellers =
  | { readonly type: 'plan'; readonly plan: FloodPlan }
  /** Answer when that many more deliveries are acknowledged, or when all are. */
  | { readonly type: 'wait'; readonly acknowledged: number }
  | { readonly type: 'expect' };

export type FromSellers =
  | {
      readonly type: 'ready';
      readonly agents: readonly { readonly agentUrl: string; readonly slug: string }[];
    }
  | { readonly type: 'reached'; readonly isAll: boolean; readonly counts: FloodCounts }
  | { readonly type: 'expected'; readonly expected: Expected };
