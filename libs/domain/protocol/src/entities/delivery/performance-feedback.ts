import type { RequestExtras } from '../../message/request-extras.js';

/**
 * How well something did, said to whoever can act on it. Advice: a seller may leave it
 * (docs/protocol/accounts.md#feedback).
 */
export interface PerformanceFeedbackRequest extends RequestExtras {
  /** One of `mediaBuyId` and `buyerRef` names the buy; the reference only where the form has one. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** RFC 3339. */
  readonly period: { readonly start: string; readonly end: string };
  /** Decimal text: 0 none, 1 as expected, more is better. */
  readonly performanceIndex: string;
  readonly packageId?: string;
  readonly creativeId?: string;
  readonly metricType: string;
  readonly feedbackSource: string;
}

export interface PerformanceFeedbackAnswer {
  readonly success: true;
}
