import type { RequestExtras } from '../../message/request-extras.js';

export interface ListAuthorizedPropertiesRequest extends RequestExtras {
  /** Only these, in lower case; absent: all. */
  readonly publisherDomains?: readonly string[];
}

/** What a publisher's own adagents.json says of one seller that names it. */
export interface PublisherAuthorization {
  readonly seller: string;
  readonly state: 'authorized' | 'unverified';
  /** `direct`, `delegated` or `ad_network`, where the publisher says it. */
  readonly delegationType?: string;
  /** Why nobody knows. */
  readonly reason?: string;
}

/** A publisher whose supply can be bought, and through whom. */
export interface AuthorizedProperty {
  readonly publisherDomain: string;
  /** Slugs, in order of name. */
  readonly sellers: readonly string[];
  /** One per seller; absent where publishers were not asked. */
  readonly authorization?: readonly PublisherAuthorization[];
}

/** What one seller says of all that it sells, in its own words. */
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
  /** RFC 3339: when the list last changed. No single time says so of a list over several sellers. */
  readonly lastUpdated?: string;
}
