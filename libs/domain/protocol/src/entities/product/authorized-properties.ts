import type { RequestExtras } from '../../message/request-extras.js';

export interface ListAuthorizedPropertiesRequest extends RequestExtras {
  /** Only these domains, in lower case. Absent: all. */
  readonly publisherDomains?: readonly string[];
}

/** A publisher's authorization of one seller, from its adagents.json. */
export interface PublisherAuthorization {
  readonly seller: string;
  readonly state: 'authorized' | 'unverified';
  /** `direct`, `delegated` or `ad_network`, where the publisher gives it. */
  readonly delegationType?: string;
  /** Why the authorization is unknown. */
  readonly reason?: string;
}

/** A publisher whose inventory can be bought, and its sellers. */
export interface AuthorizedProperty {
  readonly publisherDomain: string;
  /** Slugs, sorted. */
  readonly sellers: readonly string[];
  /** One per seller. Absent where publishers were not checked. */
  readonly authorization?: readonly PublisherAuthorization[];
}

/** One seller's description of its portfolio. */
export interface PortfolioWords {
  readonly seller?: string;
  readonly description?: string;
  readonly advertisingPolicies?: string;
  /** RFC 3339: when its own list last changed. */
  readonly lastUpdated?: string;
}

export interface ListAuthorizedPropertiesAnswer {
  readonly properties: readonly AuthorizedProperty[];
  readonly channels: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countries: readonly string[];
  readonly portfolios: readonly PortfolioWords[];
  /** RFC 3339: when the list last changed. Absent for a list of several sellers. */
  readonly lastUpdated?: string;
}
