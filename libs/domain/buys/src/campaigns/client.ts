import type { CampaignRules, ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';

/** An advertiser that the organization works for. */
export interface Client {
  /** UUID. */
  readonly id: string;
  /** Unique in its organization. */
  readonly name: string;
  readonly status: 'active' | 'archived';
  /** Its codes in other systems: {system: code}. */
  readonly codes: JsonObject;
  /** Slugs of the sellers that may be used for it; absent: all. */
  readonly sellers?: readonly string[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A brand of a client. */
export interface ClientBrand {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly clientId: string;
  readonly client: string;
  /** Lower case. */
  readonly domain: string;
  /** Empty where the domain has one brand only. */
  readonly brandId: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A plan with a budget and a flight, which buys belong to. */
export interface Campaign {
  /** UUID. */
  readonly id: string;
  readonly clientId: string;
  readonly client: string;
  readonly brandDomain: string;
  /** Empty: the campaign is for all brands of the domain. */
  readonly brandId: string;
  readonly name: string;
  readonly reference?: string;
  readonly poNumber?: string;
  readonly insertionOrder?: string;
  readonly estimate?: string;
  readonly currency: string;
  readonly budgetMicros?: bigint;
  /** Planned spend in micros by month, `YYYY-MM`. */
  readonly plan: Readonly<Record<string, bigint>>;
  /** First and last day of the flight, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string;
  /** UUID of a principal. */
  readonly ownerId?: string;
  readonly owner?: string;
  /** Its own rules, in place of those of the organization. */
  readonly rules: Partial<CampaignRules>;
  readonly status: 'planned' | 'active' | 'closed';
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Assigns buys whose requests name no campaign to this campaign. */
export interface CampaignRule {
  /** UUID. */
  readonly id: string;
  readonly campaignId: string;
  readonly brandDomain?: string;
  readonly referenceStart?: string;
  readonly createdAt: Instant;
}

/** One page of a list, in its order. */
interface Part {
  readonly after?: readonly (string | number)[];
  readonly limit: number;
}

/** Selects clients that a caller may see. */
export interface ClientFilter {
  readonly id?: string;
  readonly limit: number;
}

export interface BrandFilter {
  readonly id?: string;
  readonly clientId?: string;
  readonly domain?: string;
  readonly limit: number;
}

export interface CampaignFilter extends Part {
  readonly id?: string;
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly status?: Campaign['status'];
  /** By the time of the last change, newest first unless set. */
  readonly sort?: ListSort;
}

/** Outcome of a write; `taken`: another row has its name. */
type Stored = 'stored' | 'taken';

/** Reads and writes clients, brands and campaigns. Every list contains only rows within `reach`. */
export interface ClientRepository {
  /** By name. */
  clients(scope: TenantScope, reach: Reach, filter: ClientFilter): Promise<readonly Client[]>;
  /** Inserts a client, or replaces all its members. */
  saveClient(scope: TenantScope, client: Client): Promise<Stored>;
  /** By domain and id. */
  brands(scope: TenantScope, reach: Reach, filter: BrandFilter): Promise<readonly ClientBrand[]>;
  saveBrand(scope: TenantScope, brand: Omit<ClientBrand, 'client'>): Promise<Stored>;
  /**
   * Assigns the client of a brand to its buys and operations without one: at most `limit` buys in one transaction,
   * each with an assignment in the ledger. Returns the number of buys; less than `limit` when none is left.
   */
  fillBrand(
    scope: TenantScope,
    brand: Pick<ClientBrand, 'clientId' | 'domain' | 'brandId'>,
    by: { readonly principalId: string; readonly at: Instant },
    limit: number,
  ): Promise<number>;
  /** Latest change first. */
  campaigns(scope: TenantScope, reach: Reach, filter: CampaignFilter): Promise<readonly Campaign[]>;
  saveCampaign(scope: TenantScope, campaign: Omit<Campaign, 'client' | 'owner'>): Promise<void>;
  /** By time of creation; at most 1,000. */
  rules(scope: TenantScope, campaignId: string): Promise<readonly CampaignRule[]>;
  addRule(scope: TenantScope, rule: CampaignRule): Promise<Stored>;
  /** False where the campaign has no such rule. */
  removeRule(scope: TenantScope, campaignId: string, ruleId: string): Promise<boolean>;
}

export interface BuyMove {
  /** UUID of the assignment. */
  readonly id: string;
  readonly mediaBuyId: string;
  /** Undefined: the buy is removed from its campaign. */
  readonly to: Campaign | undefined;
  /** Only a buy of this campaign is moved. */
  readonly from?: string;
  readonly principalId: string;
  readonly reason?: string;
  readonly at: Instant;
}

/**
 * `other_brand`: the campaign is of another brand. `elsewhere`: the buy belongs to another campaign than `from`.
 * `period_closed`: the buy has figures in a closed period.
 */
export interface BuyMoved {
  readonly outcome: 'moved' | 'unchanged' | 'other_brand' | 'elsewhere' | 'period_closed';
  /** The newest closed period with figures of the buy, if it was not moved for that. */
  readonly period?: string;
  /** UUID of its previous campaign. */
  readonly from?: string;
}
