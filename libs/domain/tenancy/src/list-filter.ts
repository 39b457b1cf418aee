import type { Instant } from '@switchyard/values';
import type { Reach } from './reach.js';

/** Selects objects for a list by what they belong to. An absent member excludes nothing. */
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

/** `since` is inclusive, `until` is exclusive. */
export interface TimeFilter {
  readonly since?: Instant;
  readonly until?: Instant;
}

/** The order of a list by time. */
export type ListSort = 'newest' | 'oldest';
