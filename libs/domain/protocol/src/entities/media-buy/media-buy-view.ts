import type { JsonObject } from '@switchyard/values';
import type { MediaBuyStatus } from './media-buy-status.js';
import type { CreateMediaBuyAnswer } from './create-media-buy.js';

export interface MediaBuyView extends CreateMediaBuyAnswer {
  readonly statusAsOf?: string;
  /** RFC 3339; of our own buys alone. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly context?: JsonObject;
  /** Why it was refused. */
  readonly rejectionReason?: string;
  /** When, by whom and why it was canceled, as 3.x has it; the older forms have no place for it. */
  readonly cancellation?: JsonObject;
  /** What single sellers say of their parts; our own, and of our own buys alone. */
  readonly parts?: readonly BuyPart[];
  readonly impairments: readonly JsonObject[];
  /** Absent: none is kept or none was asked for. */
  readonly webhookActivity?: readonly JsonObject[];
  /** The newest changes first; absent where none were asked for. */
  readonly history?: readonly BuyHistoryEntry[];
}

/** One seller's part of a buy. */
export interface BuyPart {
  /** Slug. */
  readonly seller: string;
  readonly status: MediaBuyStatus;
  readonly rejectionReason?: string;
  /** RFC 3339. */
  readonly creativeDeadline?: string;
  /** RFC 3339: when it runs, where that is not when the whole was agreed to run. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** What was agreed in its place, by the names of 3.x. */
  readonly asked?: JsonObject;
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
