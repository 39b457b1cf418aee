import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { MediaBuy } from './operation.js';

/** The brand, client and campaign that a buy or an operation belongs to. */
export type Belonging = Pick<MediaBuy, 'brandDomain' | 'clientId' | 'campaignId'>;

/** The brand of a request. */
export interface BrandNamed {
  /** Lower case. */
  readonly domain: string;
  /** Empty where the domain has one brand only. */
  readonly brandId: string;
}

/** A campaign, with the members that a request is matched with. */
export interface KnownCampaign {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly clientId: string;
  readonly brandDomain: string;
  /** Empty: the campaign is for all brands of the domain. */
  readonly brandId: string;
  readonly status: 'planned' | 'active' | 'closed';
  readonly reference?: string;
  readonly poNumber?: string;
  readonly estimate?: string;
}

/** A rule: buys of a brand, or with a reference that begins with `referenceStart`, belong to this campaign. */
export interface KnownRule {
  /** UUID. */
  readonly id: string;
  readonly brandDomain?: string;
  readonly referenceStart?: string;
  readonly campaign: KnownCampaign;
}

export interface KnownClient {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** Slugs of the sellers that may be used for it; absent: all. */
  readonly sellers?: readonly string[];
}

/** What is stored about a brand, and the campaigns that a request may refer to. */
export interface KnownOfBrand {
  /** The stored brands of this domain. */
  readonly brands: readonly { readonly brandId: string; readonly clientId: string }[];
  /** The clients of these brands and campaigns. */
  readonly clients: readonly KnownClient[];
  /** All campaigns that match one of the requested names, of any brand. */
  readonly campaigns: readonly KnownCampaign[];
  /** The rules that match this brand and reference, the most specific one first. */
  readonly rules: readonly KnownRule[];
}

/** The members of a request by which its campaign is found. */
interface CampaignQuestion {
  readonly brand: BrandNamed;
  readonly names: readonly string[];
  readonly reference?: string;
}

/** One decision on which client and campaign a buy belongs to. The newest one counts. */
export interface BuyAssignment {
  /** UUID. */
  readonly id: string;
  readonly mediaBuyId: string;
  /** UUID; absent: the buy belongs to no campaign. */
  readonly campaignId?: string;
  /** UUID. */
  readonly clientId?: string;
  /** `brand`: the brand was assigned to a client later. */
  readonly source: 'request' | 'rule' | 'person' | 'brand' | 'none';
  readonly reason?: string;
  /** UUID of the principal that caused the decision. */
  readonly principalId?: string;
  readonly at: Instant;
}

/** Reads the organization's clients, brands and campaigns. */
export interface CampaignDirectory {
  known(scope: TenantScope, question: CampaignQuestion): Promise<KnownOfBrand>;
  /** The stored brands with this id, by their domains; at most 20. The client is a UUID. */
  brandsWithId(
    scope: TenantScope,
    brandId: string,
  ): Promise<readonly { readonly domain: string; readonly clientId: string }[]>;
  /** The brand, client and campaign of a buy; undefined where this tenant has no such buy. */
  ofBuy(scope: TenantScope, mediaBuyId: string): Promise<Belonging | undefined>;
}
