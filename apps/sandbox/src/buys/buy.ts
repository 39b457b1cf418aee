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

/** What one package delivered on one campaign day. A corrected day replaces the row and counts a version more. */
export interface DayFigure {
  /** `YYYY-MM-DD`, UTC. */
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
  /** What a thousand impressions cost: the fixed price, or what the auction cleared at. */
  readonly priceMicros: string;
  readonly bidMicros?: string;
  readonly creativeIds: readonly string[];
  /** What the buyer wants to reach, kept as it was sent. */
  readonly targeting?: JsonObject;
  /** What it holds of the other terms, where it says anything of them. */
  readonly terms?: JsonObject;
  readonly paused?: boolean;
  /** What was delivered stays; nothing more is. */
  readonly canceled?: boolean;
  readonly context?: JsonObject;
  readonly days: readonly DayFigure[];
}

export interface Reporting {
  readonly url: string;
  readonly token?: string;
  /** By HMAC under this instead of a signature. */
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
  /** First campaign day, `YYYY-MM-DD`, UTC. */
  readonly firstDay: string;
  readonly dayCount: number;
  readonly startTime: string;
  readonly endTime: string;
  readonly packages: readonly BuyPackage[];
  readonly account?: JsonObject;
  readonly context?: JsonObject;
  readonly reporting?: Reporting;
  /** Wall clock at which its compressed calendar begins; absent while it waits for somebody. */
  readonly clockFrom?: number;
  /** Set while paused: how far the compressed calendar had come, in milliseconds. */
  readonly pausedAfter?: number;
  /** Set while it is paused before its start: the status that a resume brings back. */
  readonly heldFrom?: 'pending_creatives' | 'pending_start';
  /** Steps of its calendar that are done. */
  readonly stepsDone: number;
  /** Reports emitted so far: the last sequence number. */
  readonly sequence: number;
  readonly finalSent: boolean;
  /** Its flight began in the past: days that are over are reported at once, the others when they are over. */
  readonly past?: true;
  /** The buyer's number for it. */
  readonly poNumber?: string;
  /** Something it needs is not there any more: the day since when. */
  readonly impairedSince?: string;
  /** Why it was rejected, where a rehearsal had it rejected. */
  readonly rejectionReason?: string;
}

/** True where nothing follows for the buy: no change, and no delivery. */
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
