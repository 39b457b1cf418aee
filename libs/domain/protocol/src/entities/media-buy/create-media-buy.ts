import type { JsonObject } from '@switchyard/values';
import type { AvailableAction } from './available-action.js';
import type { Brand } from '../brand/brand.js';
import type { CreatedPackage } from '../package/created-package.js';
import type { MediaBuyStatus } from './media-buy-status.js';
import type { Original } from '../../message/original.js';
import type { PackageRequest } from '../package/package-request.js';
import type { ProposalPurchase } from './proposal-purchase.js';
import type { ReportingWebhook } from '../../message/push-config.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface CreateMediaBuyRequest extends RequestExtras {
  readonly buyerRef?: string;
  readonly brand: Brand;
  /** Of a proposal that is bought as a whole these are overrides of its allocations, and there may be none. */
  readonly packages: readonly PackageRequest[];
  readonly proposal?: ProposalPurchase;
  /** `asap`, or RFC 3339. */
  readonly startTime: string;
  readonly endTime: string;
  readonly poNumber?: string;
  readonly reportingWebhook?: ReportingWebhook;
  /** Our own: a leg that fails cancels the others. */
  readonly allOrNothing?: boolean;
  readonly original: Original;
}

export interface CreateMediaBuyAnswer {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status: MediaBuyStatus;
  readonly confirmedAt?: string | null;
  readonly revision?: number;
  readonly currency?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  /** RFC 3339: until when creatives have to be there. */
  readonly creativeDeadline?: string;
  /** Who gets the invoice instead of the account's own recipient: 3.x alone has a place for it. Never with a bank account. */
  readonly invoiceRecipient?: JsonObject;
  readonly packages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}
