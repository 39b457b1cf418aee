import type { JsonObject } from '@switchyard/values';
import type { AvailableAction } from './available-action.js';
import type { CreatedPackage } from '../package/created-package.js';
import type { MediaBuyStatus } from './media-buy-status.js';
import type { Original } from '../../message/original.js';
import type { PackageRequest } from '../package/package-request.js';
import type { PackageUpdate } from '../package/package-update.js';
import type { ReportingWebhook } from '../../message/push-config.js';
import type { RequestExtras } from '../../message/request-extras.js';

/** A change of a media buy that stands. */
export interface UpdateMediaBuyRequest extends RequestExtras {
  /** One of `mediaBuyId` and `buyerRef` names the buy; the reference only where the form is 2.5. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** The revision that the caller has read; another one is a conflict. */
  readonly revision?: number;
  readonly paused?: boolean;
  /** Irreversible, and wins over everything else in the same request. */
  readonly canceled?: true;
  readonly cancellationReason?: string;
  /** `asap`, or RFC 3339. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** Decimal text: a new budget of the whole buy, absolute; only the `service` form can say it. */
  readonly budget?: string;
  /** Targeting of every package of the buy; only the `service` form can say it. */
  readonly targetingOverlay?: JsonObject;
  readonly packages: readonly PackageUpdate[];
  readonly newPackages: readonly PackageRequest[];
  readonly invoiceRecipient?: JsonObject;
  readonly reportingWebhook?: ReportingWebhook;
  readonly original: Original;
}

/** What came of a change. `status` is absent where the form has no place for it. */
export interface UpdateMediaBuyAnswer {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status?: MediaBuyStatus;
  readonly revision?: number;
  readonly currency?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  /** When it takes effect; `null` while that is not decided. */
  readonly implementationDate?: string | null;
  /** As in the answer that made the buy. */
  readonly invoiceRecipient?: JsonObject;
  readonly affectedPackages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}
