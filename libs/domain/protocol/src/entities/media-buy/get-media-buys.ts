import type { MediaBuyView } from './media-buy-view.js';
import type { PageMark } from '../../message/page-mark.js';
import type { RequestExtras } from '../../message/request-extras.js';

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
