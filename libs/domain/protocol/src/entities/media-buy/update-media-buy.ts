import type { JsonObject } from '@switchyard/values';
import type { AvailableAction } from './buy-actions.js';
import type { CreatedPackage } from './create-media-buy.js';
import type { MediaBuyStatus } from './buy-status.js';
import type { Original } from '../../message/original.js';
import type { PackageRequest } from '../package/package-request.js';
import type { PackageUpdate } from '../package/package-update.js';
import type { ReportingWebhook, RequestExtras } from '../../message/request-extras.js';
import type { WholeAmount } from '../../message/whole-amount.js';

/** An update of an existing media buy. */
export interface UpdateMediaBuyRequest extends RequestExtras {
  /** `mediaBuyId` or `buyerRef` names the buy; the reference only in 2.5. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** The revision that the caller read; any other is a conflict. */
  readonly revision?: number;
  readonly paused?: boolean;
  /** Irreversible; overrides all else in the same request. */
  readonly canceled?: true;
  readonly cancellationReason?: string;
  /** `asap`, or RFC 3339. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** Decimal text: the new budget of the whole buy, absolute; `service` form only. */
  readonly budget?: string;
  /** What is added to the budget of the whole buy, as decimal text; it may be below zero. */
  readonly budgetDifference?: string;
  /** The new budget of the whole buy, where the caller's release has one. */
  readonly total?: WholeAmount;
  /** Targeting of every package of the buy; `service` form only. */
  readonly targetingOverlay?: JsonObject;
  readonly packages: readonly PackageUpdate[];
  readonly newPackages: readonly PackageRequest[];
  readonly invoiceRecipient?: JsonObject;
  readonly reportingWebhook?: ReportingWebhook;
  readonly original: Original;
}

/** The result of an update. `status` is absent where the form does not have it. */
export interface UpdateMediaBuyAnswer {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status?: MediaBuyStatus;
  readonly revision?: number;
  readonly currency?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  /** When the change takes effect; `null` while undecided. */
  readonly implementationDate?: string | null;
  /** As in the answer that created the buy. */
  readonly invoiceRecipient?: JsonObject;
  readonly affectedPackages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}
