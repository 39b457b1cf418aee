import type { SellerRow, TaskError } from '@switchyard/protocol';
import type { MediaBuyRecord } from '../model/operation.js';
import type { JsonObject } from '@switchyard/values';

/** The errors of a seller's refusal; absent where it answered. */
export interface SellerRefusal {
  readonly seller: string;
  readonly errors?: readonly TaskError[];
}

export interface BuysRefreshed {
  readonly records: readonly MediaBuyRecord[];
  readonly rows: readonly SellerRow[];
  readonly refusals: readonly SellerRefusal[];
  /** Members of packages that sellers report beside their state. */
  readonly reported: ReportedPackages;
}

/** Members of packages that sellers report in 3.x, by prefixed package id. */
export type ReportedPackages = ReadonlyMap<string, JsonObject>;
