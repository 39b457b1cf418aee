import { shownOrigin, type DiscoveryFailure } from './discovery-failure.js';
import type { KeyedConnection } from './key-watch.js';

/** Purposes of keys that sign messages. Keys for governance must have another origin. */
const transport = ['request_signing', 'webhook_signing'] as const;

/**
 * Compares the key set's host with the `key_origins` that the agent declares
 * (docs/protocol/signing.md#discovery-of-keys). An agent that declares none is not checked.
 */
export function judgeOrigins(
  { capabilities, signsRequests }: Pick<KeyedConnection, 'capabilities' | 'signsRequests'>,
  jwksUri: string,
): DiscoveryFailure | undefined {
  const origins = capabilities?.keyOrigins;
  if (origins === undefined) return undefined;
  const host = hostOf(jwksUri);
  for (const purpose of transport) {
    const declared = origins[purpose];
    if (declared !== undefined && hostOf(declared) !== host) return misplaced(purpose, declared, jwksUri);
  }
  // An agent that signs requests to us must declare this purpose even if its capabilities do not mention signing.
  if (signsRequests === true && origins['request_signing'] === undefined) return missing('request_signing');
  if (capabilities?.webhookSigning === true && origins['webhook_signing'] === undefined) {
    return missing('webhook_signing');
  }
  const governance = origins['governance_signing'];
  return governance !== undefined && hostOf(governance) === host
    ? misplaced('governance_signing', governance, jwksUri)
    : undefined;
}

function missing(purpose: (typeof transport)[number]): DiscoveryFailure {
  return { code: 'key_origin_missing', details: { purpose, posture: `${purpose}.supported` } };
}

/** For governance, `declared` is the origin that transport keys must not share. */
function misplaced(purpose: string, declared: string, jwksUri: string): DiscoveryFailure {
  return {
    code: 'key_origin_mismatch',
    details: { purpose, expected_origin: shownOrigin(declared), actual_origin: shownOrigin(jwksUri) },
  };
}

/** The host in lower case and A-labels, as `URL` writes it. An invalid URL equals no host. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : `no address: ${url}`;
}
