import type { JsonObject } from '@switchyard/values';
import type { Voice } from './voice.js';

/** What an agent says about itself: ours, or a sandbox seller's. */
export interface OwnCapabilities {
  readonly protocols: readonly ('media_buy' | 'signals' | 'creative')[];
  readonly specialisms?: readonly string[];
  readonly publisherDomains?: readonly string[];
  readonly channels?: readonly string[];
  readonly countries?: readonly string[];
  readonly pricingModels?: readonly string[];
  /** Seconds; absent: no idempotency is promised. */
  readonly idempotencyTtlSeconds?: number;
  readonly inFlightMaxSeconds?: number;
  readonly requestSigning?: {
    readonly supported: boolean;
    readonly coversContentDigest?: 'required' | 'forbidden' | 'either';
    readonly requiredFor?: readonly string[];
    readonly supportedFor?: readonly string[];
  };
  /** True where webhooks are sent signed. */
  readonly webhookSigning?: boolean;
  readonly webhookAlgorithms?: readonly string[];
  readonly legacyHmacFallback?: boolean;
  readonly reportingByWebhook?: boolean;
  readonly windowedPullGranularities?: readonly string[];
  readonly propagationSurfaces?: readonly ('snapshot' | 'webhook' | 'out_of_band')[];
  readonly brandJsonUrl?: string;
  readonly requireOperatorAuth?: boolean;
  readonly supportedBilling?: readonly ('operator' | 'agent' | 'advertiser')[];
  readonly catalogTypes?: readonly string[];
  readonly sandbox?: boolean;
  readonly lastUpdated?: string;
  /** Releases offered; by default all that we support. */
  readonly versions?: readonly string[];
}

export function projectCapabilities(_own: OwnCapabilities, _to: Voice): JsonObject {
  throw new Error('not written yet');
}
