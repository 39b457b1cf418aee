/** One buy of the flood: whom it was bought from, and the two addresses that its seller was given. */
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

/** What the process of the sellers is given once the buys are made. */
export interface FloodPlan {
  readonly seed: number;
  /** Base address of the server under test. */
  readonly url: string;
  readonly buys: readonly FloodBuy[];
}

/** A figure of one package. Micros as text: it crosses processes as JSON. */
export interface FloodRow {
  readonly packageId: string;
  readonly micros: string;
}

/** What an event says, for the model. */
export type FloodNews =
  | { readonly kind: 'task'; readonly status: string }
  | {
      readonly kind: 'report';
      readonly type: 'scheduled' | 'adjusted' | 'final';
      readonly day: string;
      readonly sequence: number;
      readonly rows: readonly FloodRow[];
      /** Why a person has to look at it. */
      readonly wrong?: 'after_final' | 'sequence_behind_time';
    }
  | { readonly kind: 'impairment'; readonly id: string; readonly isResolved: boolean }
  /** Another body under a key that was used. */
  | { readonly kind: 'changed' }
  /** Signed by a key that is not the seller's. */
  | { readonly kind: 'forged' };

export interface FloodEvent {
  readonly key: string;
  /** Index of the buy. */
  readonly buy: number;
  readonly address: 'task' | 'report';
  readonly body: string;
  readonly news: FloodNews;
  /** Events that are acknowledged before this one is first sent, by name. */
  readonly after: readonly string[];
  /** What others wait for it by; the key may be used twice. */
  readonly name: string;
  /** How often it is sent, at least: the same bytes under the same key. */
  readonly copies: number;
}

/** What must be true of one buy. Rows are lines of text, sorted, so that they compare as they read. */
export interface ExpectedBuy {
  readonly mediaBuyId: string;
  readonly leg: string;
  /** `package day sequence micros current|superseded` */
  readonly versions: readonly string[];
  /** `day micros` of what was spent. */
  readonly spend: readonly string[];
  readonly reportEntries: number;
  readonly impairmentEntries: number;
  /** `id open|resolved` */
  readonly impairments: readonly string[];
}

export interface Expected {
  readonly buys: readonly ExpectedBuy[];
  /** By key: the states that its event may be in. */
  readonly events: Readonly<Record<string, readonly string[]>>;
  /** Groups of keys that say the same thing: at most one of each was news. */
  readonly groups: readonly (readonly string[])[];
  /** Keys that were used a second time for another body. */
  readonly changed: readonly string[];
  readonly forged: readonly string[];
}

export interface FloodCounts {
  readonly posts: number;
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly refused: number;
  readonly busy: number;
  /** Answers that no healthy server gives to these posts. */
  readonly strange: readonly string[];
}

export type ToSellers =
  | { readonly say: 'plan'; readonly plan: FloodPlan }
  /** Tell when that many more deliveries are acknowledged, or when all are. */
  | { readonly say: 'tell'; readonly acknowledged: number }
  | { readonly say: 'expect' };

export type FromSellers =
  | {
      readonly told: 'ready';
      readonly agents: readonly { readonly agentUrl: string; readonly slug: string }[];
    }
  | { readonly told: 'reached'; readonly isAll: boolean; readonly counts: FloodCounts }
  | { readonly told: 'expected'; readonly expected: Expected };
