import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { MediaBuy } from '../model/operation.js';

/** Whose a buy or an operation is. */
export type Belonging = Pick<MediaBuy, 'brandDomain' | 'clientId' | 'campaignId'>;

/** Who a request is for. */
export interface BrandNamed {
  /** Lower case. */
  readonly domain: string;
  /** Empty where the domain has one brand only. */
  readonly brandId: string;
}

/** A campaign as a request is held against it. */
export interface KnownCampaign {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly clientId: string;
  readonly brandDomain: string;
  /** Empty: of the whole domain. */
  readonly brandId: string;
  readonly status: 'planned' | 'active' | 'closed';
  readonly reference?: string;
  readonly poNumber?: string;
  readonly estimate?: string;
}

/** A rule of the organization: buys of a brand, or with a reference that begins so, belong to this campaign. */
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
  /** Slugs of the sellers that may be used for it; absent: all may. */
  readonly sellers?: readonly string[];
}

/** What the organization knows of a brand, and of the campaigns that a request may mean. */
export interface KnownOfBrand {
  /** The rows of this domain. */
  readonly brands: readonly { readonly brandId: string; readonly clientId: string }[];
  /** Those of the brands and of the campaigns. */
  readonly clients: readonly KnownClient[];
  /** All that have one of the names that were asked for, of whatever brand. */
  readonly campaigns: readonly KnownCampaign[];
  /** Those that hold for this brand and reference, the most specific one first. */
  readonly rules: readonly KnownRule[];
}

/** What a request says by which its campaign is found. */
export interface CampaignQuestion {
  readonly brand: BrandNamed;
  readonly names: readonly string[];
  readonly reference?: string;
}

/** One decision on whose a buy is. The newest one counts. */
export interface BuyAssignment {
  /** UUID. */
  readonly id: string;
  readonly mediaBuyId: string;
  /** UUID; absent: it belongs to no campaign. */
  readonly campaignId?: string;
  /** UUID. */
  readonly clientId?: string;
  /** `brand`: its brand was given to a client later. */
  readonly source: 'request' | 'rule' | 'person' | 'brand' | 'none';
  readonly reason?: string;
  /** UUID of who caused it. */
  readonly principalId?: string;
  readonly at: Instant;
}

/** The organization's clients, brands and campaigns, as requests need them. */
export interface CampaignDirectory {
  known(scope: TenantScope, question: CampaignQuestion): Promise<KnownOfBrand>;
  /** Whose a buy is; undefined where this tenant has no such buy. */
  ofBuy(scope: TenantScope, mediaBuyId: string): Promise<Belonging | undefined>;
}
