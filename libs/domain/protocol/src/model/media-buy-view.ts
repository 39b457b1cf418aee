import type { JsonObject } from '@switchyard/values';
import type { CreateMediaBuyAnswer } from './create-media-buy.js';

export interface MediaBuyView extends CreateMediaBuyAnswer {
  readonly statusAsOf?: string;
  /** RFC 3339; of our own buys alone. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly context?: JsonObject;
  readonly impairments: readonly JsonObject[];
  /** Absent: none is kept or none was asked for. */
  readonly webhookActivity?: readonly JsonObject[];
  /** The newest changes first; absent where none were asked for. */
  readonly history?: readonly BuyHistoryEntry[];
}

/** One change of a buy, as it stands in its history. */
export interface BuyHistoryEntry {
  /** The revision that it led to. */
  readonly revision: number;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly action: string;
  readonly actor?: string;
  readonly summary?: string;
  /** Prefixed by its seller. */
  readonly packageId?: string;
}
