import type { JsonObject } from '../json.js';

export type LibraryStatus =
  | 'processing'
  | 'pending_review'
  | 'approved'
  | 'suspended'
  | 'rejected'
  | 'archived';
/** An address that is told of a creative. */
export interface NotifiedAddress {
  readonly url: string;
  readonly subscriberId: string;
  readonly accountId: string;
}

/** One creative in this seller's library, as its buyer sent it. */
export interface LibraryCreative {
  readonly creativeId: string;
  readonly name: string;
  readonly formatId: JsonObject;
  readonly assets: JsonObject;
  readonly tags: readonly string[];
  readonly status: LibraryStatus;
  /** The decision of a person at the seller at that time. */
  readonly verdict?: {
    readonly at: number;
    readonly status: 'approved' | 'rejected';
    readonly reason?: string;
  };
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly packages: readonly string[];
  /** The address for this seller's decisions; absent in releases without such webhooks. */
  readonly notify?: NotifiedAddress;
  /** The account whose subscribers are told as well. */
  readonly accountId?: string;
}
