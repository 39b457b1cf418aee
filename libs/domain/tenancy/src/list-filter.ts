import type { Instant } from '@switchyard/values';
import type { Reach } from './reach.js';

/** Which objects a list shows, by what they belong to. Absent members exclude nothing. */
export interface ObjectFilter {
  readonly reach?: Reach;
  /** UUID. */
  readonly operationId?: string;
  readonly mediaBuyId?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Lower case. */
  readonly brandDomain?: string;
  /** UUID. */
  readonly campaignId?: string;
}

/** From `since` on and before `until`. */
export interface TimeFilter {
  readonly since?: Instant;
  readonly until?: Instant;
}

/** The order of a list by time. */
export type ListSort = 'newest' | 'oldest';
