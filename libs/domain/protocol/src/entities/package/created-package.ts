import type { JsonObject } from '@switchyard/values';
import type { CreativeApproval } from '../creative/creative-messages.js';
import type { Original } from '../../message/original.js';

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
  readonly told?: JsonObject;
  /** Terms that the buyer requested where others or none hold; our extension, for our own buys only. */
  readonly asked?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}
