import type { JsonObject } from '@switchyard/values';
import type { AvailableAction } from './buy-actions.js';
import type { Brand } from '../brand/brand.js';
import type { MediaBuyStatus } from './buy-status.js';
import type { Original } from '../../message/original.js';
import type { PackageRequest } from '../package/package-request.js';
import type { ProposalPurchase } from './proposal-purchase.js';
import type { ReportingWebhook, RequestExtras } from '../../message/request-extras.js';
import type { CreativeApproval } from '../creative/creative-messages.js';

export interface CreateMediaBuyRequest extends RequestExtras {
  readonly buyerRef?: string;
  readonly brand: Brand;
  /** Where a proposal is bought, these override its allocations, and the list may be empty. */
  readonly packages: readonly PackageRequest[];
  readonly proposal?: ProposalPurchase;
  /** `asap`, or RFC 3339. */
  readonly startTime: string;
  readonly endTime: string;
  readonly poNumber?: string;
  readonly reportingWebhook?: ReportingWebhook;
  /** Our extension: if one seller fails, the parts at the others are canceled. */
  readonly allOrNothing?: boolean;
  readonly original: Original;
}

export interface CreateMediaBuyAnswer {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status: MediaBuyStatus;
  readonly confirmedAt?: string | null;
  readonly revision?: number;
  readonly currency?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  /** RFC 3339: the time by which creatives must be there. */
  readonly creativeDeadline?: string;
  /** Gets the invoice instead of the account's own recipient; 3.x only. Never with a bank account. */
  readonly invoiceRecipient?: JsonObject;
  readonly packages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}

export interface CreatedPackage {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly productId?: string;
  readonly pricingOptionId?: string;
  /** Decimal text. */
  readonly budget?: string;
  readonly paused?: boolean;
  readonly canceled?: boolean;
  /** Its current targeting, in the words of 3.x. */
  readonly targeting?: JsonObject;
  /** The seller's approvals of its creatives. Absent where it gave none. */
  readonly creativeApprovals?: readonly CreativeApproval[];
  /** Its terms, and what the seller reports of it now, under the names of 3.x; other forms have few of them. */
  readonly reportedTerms?: JsonObject;
  /** Terms that the buyer requested where others or none hold; our extension, for our own buys only. */
  readonly asked?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}
