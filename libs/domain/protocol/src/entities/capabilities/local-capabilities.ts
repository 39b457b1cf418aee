import type { JsonObject } from '@switchyard/values';
import { dialects } from '../../versions/dialect.js';
import { supportedVersions } from '../../versions/version.js';
import type { WireProfile } from '../../versions/wire-profile.js';

/** Capabilities that an agent publishes: this product's, or a sandbox seller's. */
export interface LocalCapabilities {
  readonly protocols: readonly ('media_buy' | 'signals' | 'creative' | (string & {}))[];
  readonly specialisms?: readonly string[];
  /** Namespaces under `ext` that answers use. */
  readonly extensions?: readonly string[];
  readonly publisherDomains?: readonly string[];
  readonly channels?: readonly string[];
  readonly countries?: readonly string[];
  readonly pricingModels?: readonly string[];
  /** Seconds. Absent: idempotency is not supported. */
  readonly idempotencyTtlSeconds?: number;
  readonly inFlightMaxSeconds?: number;
  readonly requestSigning?: {
    readonly supported: boolean;
    readonly coversContentDigest?: 'required' | 'forbidden' | 'either';
    readonly requiredFor?: readonly string[];
    readonly supportedFor?: readonly string[];
    /** Names of JSON-RPC methods, which have their own lists since 3.1. */
    readonly methodsRequiredFor?: readonly string[];
    readonly methodsSupportedFor?: readonly string[];
    /** True where every task has to be signed. */
    readonly required?: boolean;
  };
  /** True where webhooks are signed. */
  readonly webhookSigning?: boolean;
  readonly webhookAlgorithms?: readonly string[];
  readonly legacyHmacFallback?: boolean;
  /** True where an earlier answer can be refined. Since 3.1. */
  readonly refines?: boolean;
  /** True where proposals can be finalized and bought by id. Since 3.1. */
  readonly supportsProposals?: boolean;
  readonly reportingByWebhook?: boolean;
  readonly windowedPullGranularities?: readonly string[];
  readonly propagationSurfaces?: readonly ('snapshot' | 'webhook' | 'out_of_band')[];
  /**
   * Seconds that a notification of a kind may wait to be combined with others, where that is shorter than the `service`
   * form allows. No release has a member for it, so it is in our own extension.
   */
  readonly coalescenceSeconds?: Readonly<Record<string, number>>;
  readonly brandJsonUrl?: string;
  /** True where each key signs for one principal only. */
  readonly perPrincipalKeyIsolation?: boolean;
  /** Origins of the keys, by purpose. */
  readonly keyOrigins?: Readonly<Record<string, string>>;
  readonly requireOperatorAuth?: boolean;
  readonly supportedBilling?: readonly ('operator' | 'agent' | 'advertiser')[];
  readonly catalogTypes?: readonly string[];
  readonly sandbox?: boolean;
  /** True where products are shown to known accounts only. */
  readonly requiredForProducts?: boolean;
  /** Scenarios of `comply_test_controller`. Absent where tests are not allowed. */
  readonly testScenarios?: readonly string[];
  readonly lastUpdated?: string;
  /** Tasks that the caller's release adds beside the older ones. */
  readonly lifecycleTools?: readonly string[];
  /** Who is told of changes of this document and of accounts; callers of a later release alone read it. */
  readonly changes?: CapabilityChanges;
  /** Releases offered. Default: all that are supported. */
  readonly versions?: readonly string[];
}

/** How callers learn that an agent's capabilities, or the status of their accounts, have changed. */
export interface CapabilityChanges {
  /** Of the whole document; compared for equality alone. */
  readonly version: string;
  /** How long a copy may be used without news, in seconds. */
  readonly cacheSeconds: number;
  /** Changes within this time are told together, in seconds. */
  readonly coalescenceSeconds: number;
}

const everyModel = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time'];

/**
 * The capabilities document in a caller's dialect. Older forms do not define one: they get the same shape, which a
 * caller that requests it can read.
 */
export function projectCapabilities(own: LocalCapabilities, to: WireProfile): JsonObject {
  const names = dialects[to.dialect];
  const has = (protocol: LocalCapabilities['protocols'][number]): boolean => own.protocols.includes(protocol);
  const document = {
    [names.capabilitiesMember]: versionsOf(own, to),
    supported_protocols: to.form === '3.0' ? protocols30(own.protocols) : [...own.protocols],
    account: {
      require_operator_auth: own.requireOperatorAuth ?? false,
      supported_billing: [...(own.supportedBilling ?? ['operator'])],
      required_for_products: own.requiredForProducts,
      sandbox: own.sandbox,
      ...accountNewsOf(own, to),
    },
    media_buy: has('media_buy') ? salesOf(own, to) : undefined,
    signals: has('signals') ? signalsOf(own, to) : undefined,
    request_signing: own.requestSigning === undefined ? undefined : signingOf(own.requestSigning, to),
    webhook_signing: own.webhookSigning === true ? webhooksOf(own, names.webhookTag) : undefined,
    identity: identityOf(own),
    specialisms: someOf(own.specialisms),
    extensions_supported: someOf(own.extensions),
    compliance_testing: own.testScenarios === undefined ? undefined : { scenarios: [...own.testScenarios] },
    last_updated: own.lastUpdated,
    ext:
      own.coalescenceSeconds === undefined
        ? undefined
        : { switchyard: { coalescence_window_seconds: own.coalescenceSeconds } },
  };
  return pruned(document);
}

/** 3.0 has a closed list of protocols. An agent that has none of them lists its own. */
function protocols30(protocols: LocalCapabilities['protocols']): string[] {
  const known = protocols.filter((protocol) => protocol !== 'measurement');
  return known.length === 0 ? [...protocols] : known;
}

function versionsOf(own: LocalCapabilities, { release }: WireProfile): Members {
  const ttl = own.idempotencyTtlSeconds;
  const idempotency =
    ttl === undefined
      ? { supported: false }
      : { supported: true, replay_ttl_seconds: ttl, in_flight_max_seconds: own.inFlightMaxSeconds };
  // A prerelease is named only to who asked for it (docs/protocol/requests-and-versions.md#releases).
  const versions = [...(own.versions ?? supportedVersions), ...(release === undefined ? [] : [release])];
  return {
    major_versions: [3],
    supported_versions: versions,
    idempotency,
    ...(own.changes === undefined || release === undefined
      ? {}
      : { capability_changes: changesOf(own.changes) }),
  };
}

function changesOf({ version, cacheSeconds, coalescenceSeconds }: CapabilityChanges): Members {
  return {
    capabilities_version: version,
    cache_ttl_seconds: cacheSeconds,
    notifications: {
      supported: true,
      registration_task: 'sync_agent_notification_configs',
      event_types: ['capabilities.changed'],
      coalescence_window_seconds: coalescenceSeconds,
    },
  };
}

/** Accounts are pairs of a brand and an operator: each buy has the currency of its prices. */
function accountNewsOf(own: LocalCapabilities, { release }: WireProfile): Members {
  if (own.changes === undefined || release === undefined) return {};
  return {
    notifications: {
      supported: true,
      registration_task: 'sync_accounts',
      read_task: 'list_accounts',
      event_types: ['account.status_changed'],
    },
    supported_account_currency_modes: ['per_media_buy'],
  };
}

function identityOf(own: LocalCapabilities): Members | undefined {
  const identity = {
    brand_json_url: own.brandJsonUrl,
    per_principal_key_isolation: own.perPrincipalKeyIsolation,
    key_origins: own.keyOrigins,
  };
  return Object.values(identity).every((value) => value === undefined) ? undefined : identity;
}

function salesOf(own: LocalCapabilities, to: WireProfile): Members {
  const domains = own.publisherDomains ?? [];
  const portfolio = {
    publisher_domains: [...domains],
    primary_channels: someOf(own.channels),
    primary_countries: someOf(own.countries),
  };
  return {
    supported_pricing_models: someOf(own.pricingModels?.filter((model) => everyModel.includes(model))),
    buying_modes:
      to.form === '3.1' ? ['brief', 'wholesale', ...(own.refines === true ? ['refine'] : [])] : undefined,
    // An absent member means the same as false.
    supports_proposals: to.form === '3.1' && own.supportsProposals === true ? true : undefined,
    reporting_delivery_methods: own.reportingByWebhook === true ? ['webhook'] : undefined,
    propagation_surfaces: to.form === '3.0' ? undefined : someOf(own.propagationSurfaces),
    windowed_pull_granularities: someOf(own.windowedPullGranularities),
    lifecycle_tools: someOf(own.lifecycleTools),
    features: { inline_creative_management: true, property_list_filtering: false, catalog_management: false },
    portfolio: domains.length === 0 ? undefined : portfolio,
  };
}

function signalsOf(own: LocalCapabilities, to: WireProfile): Members {
  return {
    discovery_modes: to.form === '3.1' ? ['brief'] : undefined,
    catalog_types: someOf(own.catalogTypes),
    features: { catalog_signals: false },
  };
}

function signingOf(signing: NonNullable<LocalCapabilities['requestSigning']>, to: WireProfile): Members {
  return {
    supported: signing.supported,
    required: signing.required,
    covers_content_digest: signing.coversContentDigest ?? 'required',
    required_for: [...(signing.requiredFor ?? [])],
    supported_for: someOf(signing.supportedFor),
    protocol_methods_required_for: to.form === '3.0' ? undefined : someOf(signing.methodsRequiredFor),
    protocol_methods_supported_for: to.form === '3.0' ? undefined : someOf(signing.methodsSupportedFor),
  };
}

function webhooksOf(own: LocalCapabilities, profile: string): Members {
  return {
    supported: true,
    profile,
    algorithms: [...(own.webhookAlgorithms ?? ['ed25519'])],
    legacy_hmac_fallback: own.legacyHmacFallback ?? false,
  };
}

interface Members {
  readonly [name: string]: Members | readonly (string | number)[] | string | number | boolean | undefined;
}

function someOf(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined || values.length === 0 ? undefined : [...values];
}

/** Removes `undefined` members at every depth. */
function pruned(members: Members): JsonObject {
  return JSON.parse(JSON.stringify(members)) as JsonObject;
}
