import type { JsonObject } from '@switchyard/values';
import type { MediaBuyStatus } from './buy-status.js';
import type { CreateMediaBuyAnswer } from './create-media-buy.js';
import type { PageMark } from '../../message/answer.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface MediaBuyView extends CreateMediaBuyAnswer {
  readonly statusAsOf?: string;
  /** RFC 3339; our own buys only. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly context?: JsonObject;
  /** Why the seller rejected it. */
  readonly rejectionReason?: string;
  /** When, by whom and why it was canceled, as in 3.x; the older forms do not have it. */
  readonly cancellation?: JsonObject;
  /** The parts at single sellers; our extension, for our own buys only. */
  readonly parts?: readonly BuyPart[];
  readonly impairments: readonly JsonObject[];
  /** Open cases of governance; our extension, for our own buys only. */
  readonly cases?: readonly JsonObject[];
  /** Absent where none is stored or requested. */
  readonly webhookActivity?: readonly JsonObject[];
  /** The newest changes first. Absent where not requested. */
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
  /** RFC 3339: the flight of this part, where it differs from the agreed one. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** What the buyer requested where other terms were agreed, by the names of 3.x. */
  readonly asked?: JsonObject;
}

/** One change of a buy in its history. */
export interface BuyHistoryEntry {
  /** The revision that the change created. */
  readonly revision: number;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly action: string;
  readonly actor?: string;
  readonly summary?: string;
  /** Prefixed with the slug of its seller. */
  readonly packageId?: string;
}

export interface GetMediaBuysRequest extends RequestExtras {
  readonly mediaBuyIds?: readonly string[];
  readonly buyerRefs?: readonly string[];
  readonly statusFilter?: readonly string[];
  readonly includeSnapshot?: boolean;
  /** How many of the newest changes of each buy to return, 0 to 1000. */
  readonly includeHistory?: number;
  readonly includeWebhookActivity?: boolean;
  /** Records per media buy, 1 to 200. */
  readonly webhookActivityLimit?: number;
  /** Buys per page. Absent where pages were not requested. */
  readonly maxResults?: number;
  readonly cursor?: string;
}

export interface GetMediaBuysAnswer {
  readonly mediaBuys: readonly MediaBuyView[];
  /** Absent where the answer is complete and pages were not requested. */
  readonly page?: PageMark;
}
