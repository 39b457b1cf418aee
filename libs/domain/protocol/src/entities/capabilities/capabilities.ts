import type { JsonObject } from '@switchyard/values';
import type { RequestExtras } from '../../message/request-extras.js';

/** The parts of a peer's capabilities that are stored. */
export interface Capabilities {
  readonly supportedVersions: readonly string[];
  readonly protocols: readonly (
    | 'media_buy'
    | 'signals'
    | 'creative'
    | 'governance'
    | 'brand'
    | (string & {})
  )[];
  readonly idempotency: { readonly supported: boolean; readonly replayTtlSeconds?: number };
  readonly publisherDomains: readonly string[];
  readonly pricingModels: readonly string[];
  readonly reportingByWebhook: boolean;
  readonly windowedPullGranularities: readonly string[];
  readonly requestSigning: {
    readonly supported: boolean;
    readonly requiredFor: readonly string[];
    /** Tasks whose signature is verified where there is one, but is not required. */
    readonly supportedFor?: readonly string[];
    /** The same for methods of the protocol, such as `tasks/cancel`, which have their own namespace. */
    readonly methodsRequiredFor?: readonly string[];
    readonly methodsSupportedFor?: readonly string[];
    /** True where every task has to be signed. */
    readonly required?: boolean;
    readonly contentDigest?: 'required' | 'forbidden' | 'either';
  };
  readonly webhookSigning: boolean;
  /** Why the agent's webhooks cannot be trusted: they are unsigned, or signed with an unknown algorithm. */
  readonly webhookFault?: 'unsigned' | 'unknown_algorithm';
  readonly brandJsonUrl?: string;
  /** Origins where the agent publishes its keys, by purpose (`request_signing`, `governance_signing` and so on). */
  readonly keyOrigins?: Readonly<Record<string, string>>;
  readonly original: JsonObject;
}

export interface GetCapabilitiesRequest extends RequestExtras {
  readonly protocols?: readonly string[];
}
