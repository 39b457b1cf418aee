import type { JsonObject } from '@switchyard/values';
import type { CreativeApproval } from './creatives.js';
import type { Form } from './voice.js';

/**
 * The one internal shape that every form is normalised to. It follows release 3.1 in meaning; names are ours.
 *
 * Amounts that take part in decisions are decimal text exactly as on the wire (never a float). `original` is the
 * peer's own object: where two peers speak the same form it is what travels on, patched, so that nothing unknown
 * to us is lost.
 */
export interface Original {
  /** `ours`: there is no peer's object behind it, so it is always written out from its typed members. */
  readonly form: Form | 'ours';
  readonly value: JsonObject;
}

export type TaskStatus =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'unknown';

export type MediaBuyStatus =
  'pending_creatives' | 'pending_start' | 'active' | 'paused' | 'completed' | 'rejected' | 'canceled';

export type Recovery = 'transient' | 'correctable' | 'terminal';

/** One item of `errors[]`. `retryAfter` is in seconds. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  readonly retryAfter?: number;
  /** Each member that was wrong, as 3.x tells it: `pointer`, `message`, `keyword`, and what else the peer says of it. */
  readonly issues?: JsonObject[];
  readonly details?: JsonObject;
}

/** Something that could not be carried over, or that a peer said oddly. Never a failure. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

export interface FormatId {
  readonly agentUrl: string;
  readonly id: string;
  /** What a format that takes parameters was given: pixels, and milliseconds. */
  readonly width?: number;
  readonly height?: number;
  readonly durationMs?: number;
}

export interface Brand {
  /** The advertiser's domain; absent only when a `service` buyer sent `brand_id` alone. */
  readonly domain?: string;
  readonly brandId?: string;
  /** Inline manifest or its URL, as the buyer sent it. */
  readonly manifest?: JsonObject | string;
}

/** Reference to an account: an id that we (or the seller) issued, or the natural key. */
export type AccountRef =
  | { readonly accountId: string }
  | { readonly brand: Brand; readonly operator: string; readonly sandbox?: boolean };

export interface PricingOption {
  readonly pricingOptionId: string;
  /** `cpm`, `vcpm`, `cpc`, `cpcv`, `cpv`, `cpp`, `cpa`, `flat_rate`, `time` or one we do not know. */
  readonly model: string;
  /** ISO 4217; `USD` where the form names none (ruling 32). */
  readonly currency: string;
  /** Decimal text. Present exactly for fixed pricing. */
  readonly fixedPrice?: string;
  /** Decimal text: the least bid of an auction. */
  readonly floorPrice?: string;
  /** True when a package that picks this option must carry a bid. */
  readonly auction: boolean;
  readonly minSpendPerPackage?: string;
  readonly original: Original;
}

export interface PublisherProperty {
  readonly publisherDomain: string;
  readonly selectionType: 'all' | 'by_id' | 'by_tag';
  readonly values: readonly string[];
}

export interface Product {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  /** The seller's address, for forms that want a source named where the seller named none. */
  readonly agentUrl?: string;
  readonly productId: string;
  readonly name: string;
  readonly description: string;
  readonly deliveryType: 'guaranteed' | 'non_guaranteed';
  readonly channels: readonly string[];
  readonly formatIds: readonly FormatId[];
  readonly publisherProperties: readonly PublisherProperty[];
  readonly pricingOptions: readonly PricingOption[];
  /** `hourly`, `daily`, `monthly`: what the seller can report at. */
  readonly reportingFrequencies: readonly string[];
  /** Minutes after a period's end by which most of its data is there; absent where the seller declares none. */
  readonly expectedDelayMinutes?: number;
  /** Slices that a pull may ask for; absent where the product declares none. */
  readonly windowedPullGranularities?: readonly string[];
  readonly isCustom: boolean;
  readonly original: Original;
}

export interface DeploymentTarget {
  readonly type: 'platform' | 'agent';
  readonly platform?: string;
  readonly agentUrl?: string;
  readonly account?: string;
}

export type ActivationKey =
  | { readonly type: 'segment_id'; readonly segmentId: string }
  | { readonly type: 'key_value'; readonly key: string; readonly value: string };

export interface Deployment extends DeploymentTarget {
  readonly isLive: boolean;
  readonly activationKey?: ActivationKey;
  readonly estimatedMinutes?: number;
  readonly deployedAt?: string;
}

export interface Signal {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  /** The seller's address, for forms that want a source named where the seller named none. */
  readonly agentUrl?: string;
  readonly segmentId: string;
  readonly name: string;
  readonly description: string;
  readonly catalogType: string;
  readonly dataProvider: string;
  readonly coveragePercentage?: number;
  readonly deployments: readonly Deployment[];
  /** What it costs per mille, by the first of its prices. */
  readonly pricing?: { readonly cpm: string; readonly currency: string };
  readonly original: Original;
}

export interface CreativeFormat {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly formatId: FormatId;
  readonly name: string;
  readonly type?: string;
  readonly original: Original;
}

export interface ProductFilters {
  readonly channels?: readonly string[];
  readonly deliveryType?: 'guaranteed' | 'non_guaranteed';
  readonly isFixedPrice?: boolean;
  /** Format types such as `video` or `display`. */
  readonly formatTypes?: readonly string[];
  readonly formatIds?: readonly FormatId[];
  readonly countries?: readonly string[];
  /** ISO codes; 3.1 alone asks for them. */
  readonly pricingCurrencies?: readonly string[];
  readonly budget?: { readonly min?: string; readonly max?: string; readonly currency: string };
  readonly original?: Original;
}

/** What any task may carry beside its own fields. */
export interface RequestExtras {
  readonly account?: AccountRef;
  readonly idempotencyKey?: string;
  /** Opaque: echoed verbatim, never read. */
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly governanceContext?: string;
  readonly push?: PushConfig;
  readonly ext?: JsonObject;
}

export interface PushConfig {
  readonly url: string;
  readonly operationId?: string;
  readonly token?: string;
  readonly authentication?: { readonly schemes: readonly string[]; readonly credentials: string };
}

export interface ReportingWebhook extends PushConfig {
  readonly frequency?: string;
  readonly requestedMetrics?: readonly string[];
}

export interface GetCapabilitiesRequest extends RequestExtras {
  readonly protocols?: readonly string[];
}

/** What we keep of a peer's capabilities. */
export interface Capabilities {
  readonly supportedVersions: readonly string[];
  readonly protocols: readonly (
    'media_buy' | 'signals' | 'creative' | 'governance' | 'brand' | (string & {})
  )[];
  readonly idempotency: { readonly supported: boolean; readonly replayTtlSeconds?: number };
  readonly publisherDomains: readonly string[];
  readonly pricingModels: readonly string[];
  readonly reportingByWebhook: boolean;
  readonly windowedPullGranularities: readonly string[];
  readonly requestSigning: {
    readonly supported: boolean;
    readonly requiredFor: readonly string[];
    /** Tasks of which a signature is verified without being asked for. */
    readonly supportedFor?: readonly string[];
    /** The same of methods of the protocol, such as `tasks/cancel`: a namespace of their own. */
    readonly methodsRequiredFor?: readonly string[];
    readonly methodsSupportedFor?: readonly string[];
    /** True where every task has to be signed. */
    readonly required?: boolean;
    readonly contentDigest?: 'required' | 'forbidden' | 'either';
  };
  readonly webhookSigning: boolean;
  /** What it says of its webhooks that nobody could rely on: that they are unsigned, or signed by what we do not know. */
  readonly webhookFault?: 'unsigned' | 'unknown_algorithm';
  readonly brandJsonUrl?: string;
  /** Origins that the agent says its keys are at, by purpose (`request_signing`, `governance_signing` and so on). */
  readonly keyOrigins?: Readonly<Record<string, string>>;
  readonly original: JsonObject;
}

export interface GetProductsRequest extends RequestExtras {
  readonly brief?: string;
  readonly buyingMode: 'brief' | 'wholesale' | 'refine';
  readonly brand?: Brand;
  readonly filters?: ProductFilters;
  readonly maxResults?: number;
  /** Where to go on in an answer of several pages: opaque to whoever was given it. */
  readonly cursor?: string;
  /** Changes asked for of an earlier answer, in the buyer's order, as 3.x writes them. */
  readonly refine?: readonly JsonObject[];
  /** Members of products to show, as 3.x names them. */
  readonly fields?: readonly string[];
  /** How long whoever is asked may take, in whole seconds. */
  readonly timeBudgetSeconds?: number;
  /** The arguments as they came: what only 3.x knows travels on between peers of 3.x. */
  readonly original?: Original;
}

/** What somebody could not finish in time: `products`, `pricing`, `forecast`, `proposals` or `wholesale_feed`. */
export interface Incomplete {
  readonly scope: string;
  readonly description: string;
  readonly estimatedWait?: JsonObject;
}

/** Where an answer of several pages goes on; `cursor` is there as long as it does. */
export interface PageMark {
  readonly cursor?: string;
  readonly totalCount?: number;
}

export interface GetProductsAnswer {
  readonly products: readonly Product[];
  /** Plans over products, as 3.x writes them. */
  readonly proposals?: readonly JsonObject[];
  readonly incomplete?: readonly Incomplete[];
  /** What became of each change that was asked for, in the order of asking. */
  readonly refinementApplied?: readonly JsonObject[];
  readonly propertyListApplied?: boolean;
  readonly page?: PageMark;
}

export interface GetSignalsRequest extends RequestExtras {
  readonly signalSpec: string;
  readonly destinations: readonly DeploymentTarget[];
  readonly countries: readonly string[];
  readonly filters?: {
    readonly catalogTypes?: readonly string[];
    readonly dataProviders?: readonly string[];
    readonly maxCpm?: string;
    readonly minCoveragePercentage?: number;
  };
  readonly maxResults?: number;
  /** Where to go on in an answer of several pages, and how many of it stand on one. */
  readonly cursor?: string;
  readonly pageSize?: number;
  readonly discoveryMode?: string;
  /** Signals asked for by name, as 3.x writes them. */
  readonly signalIds?: readonly JsonObject[];
  readonly signalRefs?: readonly JsonObject[];
  readonly original?: Original;
}

export interface GetSignalsAnswer {
  readonly signals: readonly Signal[];
  readonly incomplete?: readonly Incomplete[];
  readonly page?: PageMark;
}

export interface ListCreativeFormatsRequest extends RequestExtras {
  readonly formatTypes?: readonly string[];
  readonly formatIds?: readonly FormatId[];
  /** Where to go on in an answer of several pages, and how many of it stand on one. */
  readonly cursor?: string;
  readonly pageSize?: number;
  readonly original?: Original;
}

export interface ListCreativeFormatsAnswer {
  readonly formats: readonly CreativeFormat[];
  /** Agents that have more formats, as the seller names them; each has an `agent_url`. */
  readonly creativeAgents?: readonly JsonObject[];
  readonly page?: PageMark;
}

export interface PackageRequest {
  /** The buyer's own reference. In 3.x it travels inside `context.buyer_ref`. */
  readonly buyerRef?: string;
  readonly productId: string;
  readonly pricingOptionId: string;
  /** Decimal text in the currency of the pricing option, major units. */
  readonly budget: string;
  /** Decimal text. */
  readonly bidPrice?: string;
  readonly creativeIds?: readonly string[];
  readonly creatives?: readonly JsonObject[];
  readonly targetingOverlay?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}

export interface CreateMediaBuyRequest extends RequestExtras {
  readonly buyerRef?: string;
  readonly brand: Brand;
  readonly packages: readonly PackageRequest[];
  /** `asap`, or RFC 3339. */
  readonly startTime: string;
  readonly endTime: string;
  readonly poNumber?: string;
  readonly reportingWebhook?: ReportingWebhook;
  /** Our own: a leg that fails cancels the others. */
  readonly allOrNothing?: boolean;
  readonly original: Original;
}

export interface CreatedPackage {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly productId?: string;
  readonly pricingOptionId?: string;
  /** Decimal text. */
  readonly budget?: string;
  readonly paused?: boolean;
  readonly canceled?: boolean;
  /** What it is to reach, as it was last set; 3.x forms alone have a place for it. */
  readonly targeting?: JsonObject;
  /** What the seller says of its creatives; absent where it says nothing of any. */
  readonly creativeApprovals?: readonly CreativeApproval[];
  /** Members of 3.x as the seller tells them now, such as its deadlines and its snapshot: they go to 3.x alone. */
  readonly told?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}

export interface CreateMediaBuyAnswer {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status: MediaBuyStatus;
  readonly confirmedAt?: string | null;
  readonly revision?: number;
  readonly currency?: string;
  readonly packages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}

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
  readonly context?: JsonObject;
  readonly original: Original;
}

/** A change of a media buy that stands. */
export interface UpdateMediaBuyRequest extends RequestExtras {
  /** One of `mediaBuyId` and `buyerRef` names the buy; the reference only where the form is 2.5. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** The revision that the caller has read; another one is a conflict. */
  readonly revision?: number;
  readonly paused?: boolean;
  /** Irreversible, and wins over everything else in the same request. */
  readonly canceled?: true;
  readonly cancellationReason?: string;
  /** `asap`, or RFC 3339. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** Decimal text: a new budget of the whole buy, absolute; only the `service` form can say it. */
  readonly budget?: string;
  /** Targeting of every package of the buy; only the `service` form can say it. */
  readonly targetingOverlay?: JsonObject;
  readonly packages: readonly PackageUpdate[];
  readonly newPackages: readonly PackageRequest[];
  readonly invoiceRecipient?: JsonObject;
  readonly reportingWebhook?: ReportingWebhook;
  readonly original: Original;
}

/** What came of a change. `status` is absent where the form has no place for it. */
export interface UpdateMediaBuyAnswer {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  readonly status?: MediaBuyStatus;
  readonly revision?: number;
  readonly currency?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  /** When it takes effect; `null` while that is not decided. */
  readonly implementationDate?: string | null;
  readonly affectedPackages: readonly CreatedPackage[];
  readonly actions?: readonly AvailableAction[];
  readonly original: Original;
}

/** What may be done to a buy now, and how. */
export interface AvailableAction {
  readonly action: string;
  readonly mode: 'self_serve' | 'conditional_self_serve' | 'requires_approval';
}

export interface GetMediaBuysRequest extends RequestExtras {
  readonly mediaBuyIds?: readonly string[];
  readonly buyerRefs?: readonly string[];
  readonly statusFilter?: readonly string[];
  readonly includeSnapshot?: boolean;
  /** How many of the newest changes of each buy are wanted, 0 to 1000. */
  readonly includeHistory?: number;
  readonly includeWebhookActivity?: boolean;
  /** Records per media buy, 1 to 200. */
  readonly webhookActivityLimit?: number;
  /** Buys on a page; absent where no pages were asked for. */
  readonly maxResults?: number;
  readonly cursor?: string;
}

export interface MediaBuyView extends CreateMediaBuyAnswer {
  readonly statusAsOf?: string;
  /** RFC 3339; of our own buys alone. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Decimal text. */
  readonly totalBudget?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly context?: JsonObject;
  readonly impairments: readonly JsonObject[];
  /** Absent: none is kept or none was asked for. */
  readonly webhookActivity?: readonly JsonObject[];
  /** The newest changes first; absent where none were asked for. */
  readonly history?: readonly BuyHistoryEntry[];
}

/** One change of a buy, as it stands in its history. */
export interface BuyHistoryEntry {
  /** The revision that it led to. */
  readonly revision: number;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly action: string;
  readonly actor?: string;
  readonly summary?: string;
  /** Prefixed by its seller. */
  readonly packageId?: string;
}

export interface GetMediaBuysAnswer {
  readonly mediaBuys: readonly MediaBuyView[];
  /** Absent where the answer is whole and nobody asked for pages. */
  readonly page?: PageMark;
}

export interface GetMediaBuyDeliveryRequest extends RequestExtras {
  readonly mediaBuyIds?: readonly string[];
  readonly buyerRefs?: readonly string[];
  /** States of buys, or of their reports, in the words of 3.x. */
  readonly statusFilter?: readonly string[];
  /** `YYYY-MM-DD`, inclusive. */
  readonly startDate?: string;
  /** `YYYY-MM-DD`, exclusive. */
  readonly endDate?: string;
  readonly timeGranularity?: 'hourly' | 'daily' | 'monthly';
  /** Slices of the period beside its totals, as 3.1 asks for them. */
  readonly includeWindows?: boolean;
  /** Days of each package beside its totals, as 3.x asks for them. */
  readonly includeDays?: boolean;
  /** How long after a click or a view a conversion counts; 3.x alone asks for it. */
  readonly attributionWindow?: JsonObject;
  /** Which breakdowns of packages are wanted; 3.x alone asks for them. */
  readonly reportingDimensions?: JsonObject;
  readonly original?: Original;
}

/** What was delivered in one slice of a period: half-open, RFC 3339 UTC. */
export interface DeliverySlice {
  readonly start: string;
  readonly end: string;
  /** Decimal text. */
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
}

/** Metrics of one row. Spend is decimal text; the counts are integers as JSON gave them. */
export interface DeliveryTotals {
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
  readonly original: JsonObject;
}

export interface PackageDelivery extends DeliveryTotals {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly currency?: string;
  readonly isFinal?: boolean;
  readonly measurementWindow?: string;
}

export interface MediaBuyDelivery {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  /** Buy lifecycle or reporting state (`reporting_delayed`, `failed`), as the seller said. */
  readonly status: string;
  readonly isAdjusted: boolean;
  readonly isFinal?: boolean;
  readonly totals: DeliveryTotals;
  /** True where the seller gave no totals: then `totals` is empty, and unknown is not zero. */
  readonly totalsMissing?: boolean;
  /** Slices in the order of time; absent where none were told. */
  readonly slices?: readonly DeliverySlice[];
  readonly byPackage: readonly PackageDelivery[];
}

/** A delivery report: pulled (`notificationType` absent) or pushed. Periods are half-open, RFC 3339 UTC. */
export interface DeliveryReport {
  readonly notificationType?:
    'scheduled' | 'final' | 'delayed' | 'adjusted' | 'window_update' | (string & {});
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: string;
  readonly period?: { readonly start: string; readonly end: string };
  readonly currency?: string;
  readonly partialData: boolean;
  /** What conversions were counted by, in the words of 3.x; absent where none was named or several were. */
  readonly attributionWindow?: JsonObject;
  /** True where rows are of several currencies: then nothing is added up over them. */
  readonly isMixed?: true;
  readonly deliveries: readonly MediaBuyDelivery[];
}

export interface ActivateSignalRequest extends RequestExtras {
  readonly segmentId: string;
  readonly destinations: readonly DeploymentTarget[];
  readonly pricingOptionId?: string;
  /** Absent means `activate`, the one thing that the older forms can say. */
  readonly action?: 'activate' | 'deactivate';
}

export interface ActivateSignalAnswer {
  readonly deployments: readonly Deployment[];
  /** Warnings beside a success (ruling 15). */
  readonly warnings: readonly TaskError[];
}

export interface GetTaskRequest extends RequestExtras {
  readonly taskId: string;
  readonly includeResult: boolean;
  readonly includeHistory?: boolean;
}

/** What was asked, or said, of a task: with a time of RFC 3339. */
export interface TaskExchange {
  readonly timestamp: string;
  readonly type: 'request' | 'response';
  readonly data: JsonObject;
}

export interface TaskView {
  readonly hasWebhook?: boolean;
  /** The session that the buyer put it into. */
  readonly contextId?: string;
  /** What was asked and said of it, oldest first. */
  readonly history?: readonly TaskExchange[];
  readonly taskId: string;
  /** The task's name, for example `create_media_buy`. */
  readonly taskType: string;
  readonly protocol: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
  readonly error?: TaskError;
  readonly message?: string;
  /** The task's own answer in the form of the peer that said it. */
  readonly result?: JsonObject;
}
