import type { RequestExtras } from '../../message/request-extras.js';

/** A buyer's rating of performance. A seller may ignore it (docs/protocol/accounts.md#feedback). */
export interface PerformanceFeedbackRequest extends RequestExtras {
  /** `mediaBuyId` or `buyerRef` names the buy; the reference only in forms that have one. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** RFC 3339. */
  readonly period: { readonly start: string; readonly end: string };
  /** Decimal text: 0 is no effect, 1 is as expected, more is better. */
  readonly performanceIndex: string;
  readonly packageId?: string;
  readonly creativeId?: string;
  readonly metricType: string;
  readonly feedbackSource: string;
}

export interface PerformanceFeedbackAnswer {
  readonly success: true;
}
