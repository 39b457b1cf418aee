import type { JsonObject } from '@switchyard/values';
import type { CreativeApproval } from '../creatives.js';
import type { Original } from './original.js';

export interface CreatedPackage {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly productId?: string;
  readonly pricingOptionId?: string;
  /** Decimal text. */
  readonly budget?: string;
  readonly paused?: boolean;
  readonly canceled?: boolean;
  /** What it is to reach, as it was last set; 3.x forms alone have a place for it. */
  readonly targeting?: JsonObject;
  /** What the seller says of its creatives; absent where it says nothing of any. */
  readonly creativeApprovals?: readonly CreativeApproval[];
  /** Members of 3.x as the seller tells them now, such as its deadlines and its snapshot: they go to 3.x alone. */
  readonly told?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}
