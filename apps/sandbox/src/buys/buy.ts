import type { JsonObject } from '../json.js';

export type BuyStatus =
  | 'pending'
  | 'pending_creatives'
  | 'pending_start'
  | 'active'
  | 'paused'
  | 'completed'
  | 'canceled'
  | 'rejected';

/** The delivery of one package on one campaign day. A correction replaces the row and increments its version. */
export interface DayFigure {
  /** `YYYY-MM-DD`, in the time zone of the seller. */
  readonly day: string;
  /** Decimal text of an integer: micros of the buy's currency. */
  readonly spendMicros: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly version: number;
}

export interface BuyPackage {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly productId: string;
  readonly pricingOptionId: string;
  readonly pricingModel: 'cpm' | 'cpm-auction';
  readonly budgetMicros: string;
  /** The price of a thousand impressions: the fixed price, or the clearing price of the auction. */
  readonly priceMicros: string;
  readonly bidMicros?: string;
  readonly creativeIds: readonly string[];
  /** The buyer's targeting, stored unchanged. */
  readonly targeting?: JsonObject;
  /** Its answer to the other terms, if it has any. */
  readonly terms?: JsonObject;
  readonly paused?: boolean;
  /** Past delivery stays; nothing more is delivered. */
  readonly canceled?: boolean;
  readonly context?: JsonObject;
  readonly days: readonly DayFigure[];
}

export interface Reporting {
  readonly url: string;
  readonly token?: string;
  /** The HMAC secret, used instead of a signature. */
  readonly secret?: string;
  readonly frequency: string;
}

/** A media buy in the agent's books. Each change is a new value of it, written whole. */
export interface Buy {
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status: BuyStatus;
  readonly currency: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
  /** First campaign day, `YYYY-MM-DD`, in the time zone of the seller. */
  readonly firstDay: string;
  readonly dayCount: number;
  readonly startTime: string;
  readonly endTime: string;
  readonly packages: readonly BuyPackage[];
  readonly account?: JsonObject;
  readonly context?: JsonObject;
  readonly reporting?: Reporting;
  /** Time of the market at which its compressed calendar begins; absent while the buy waits. */
  readonly clockFrom?: number;
  /** Set while paused: the elapsed time of the compressed calendar, in milliseconds. */
  readonly pausedAfter?: number;
  /** Set while paused before its start: the status that a resume restores. */
  readonly heldFrom?: 'pending_creatives' | 'pending_start';
  /** Completed steps of its calendar. */
  readonly stepsDone: number;
  /** Reports emitted so far: the last sequence number. */
  readonly sequence: number;
  readonly finalSent: boolean;
  /** Its flight began in the past: past days are reported at once, the others when they are over. */
  readonly past?: true;
  /** The buyer's purchase order number. */
  readonly poNumber?: string;
  /** Set while something that it needs is missing: the day since when. */
  readonly impairedSince?: string;
  /** The reason, if the test controller had it rejected. */
  readonly rejectionReason?: string;
}

/** True if the buy will not change or deliver any more. */
export function isOver({ status }: Pick<Buy, 'status'>): boolean {
  return status === 'completed' || status === 'canceled' || status === 'rejected';
}

export function totalSpend(buy: Buy): bigint {
  return buy.packages.flatMap((part) => part.days).reduce((sum, row) => sum + BigInt(row.spendMicros), 0n);
}

export function totalBudget(buy: Buy): bigint {
  return buy.packages
    .filter((part) => part.canceled !== true)
    .reduce((sum, part) => sum + BigInt(part.budgetMicros), 0n);
}

/** The calendar day `index` days after `first`. */
export function dayAfter(first: string, index: number): string {
  return new Date(Date.parse(`${first}T00:00:00Z`) + index * 86_400_000).toISOString().slice(0, 10);
}
