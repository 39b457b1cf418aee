import type { JsonObject } from '@switchyard/values';
import type { RequestExtras } from '../../message/request-extras.js';

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

export interface GetCapabilitiesRequest extends RequestExtras {
  readonly protocols?: readonly string[];
}
