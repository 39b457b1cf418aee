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
  /** What it is to reach, as it was last set, in the words of 3.x. */
  readonly targeting?: JsonObject;
  /** What the seller says of its creatives; absent where it says nothing of any. */
  readonly creativeApprovals?: readonly CreativeApproval[];
  /** Terms that it stands on, and what its seller tells of it now, under the names of 3.x: other forms have few of them. */
  readonly told?: JsonObject;
  /** Terms that its buyer asked for where others hold, or none; our own, and of our own buys alone. */
  readonly asked?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}
