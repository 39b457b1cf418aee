import type { JsonObject } from '@switchyard/values';
import type { Creative } from '../creatives.js';
import type { Original } from './original.js';

/** What changes about one package. What is absent stays as it is; lists and targeting replace what was there. */
export interface PackageUpdate {
  /** One of `packageId` and `buyerRef` names the package; the reference only in forms that have one. */
  readonly packageId?: string;
  readonly buyerRef?: string;
  /** Decimal text: the new budget, absolute. */
  readonly budget?: string;
  /** Decimal text. */
  readonly bidPrice?: string;
  readonly pacing?: string;
  readonly impressions?: number;
  readonly paused?: boolean;
  /** Irreversible. */
  readonly canceled?: true;
  readonly cancellationReason?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly targetingOverlay?: JsonObject;
  readonly creativeAssignments?: readonly JsonObject[];
  readonly creatives?: readonly JsonObject[];
  /** Ours: creatives of the library that travel with the package, because its seller does not have them yet. */
  readonly fromLibrary?: readonly Creative[];
  readonly context?: JsonObject;
  readonly original: Original;
}
