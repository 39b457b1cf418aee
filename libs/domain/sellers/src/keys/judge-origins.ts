import { shownOrigin, type DiscoveryFailure } from './discovery-failure.js';
import type { KeyedConnection } from './key-watch.js';

/** Purposes of keys that sign messages; keys of governance have to live elsewhere. */
const transport = ['request_signing', 'webhook_signing'] as const;

/**
 * Whether the key set is where the agent says that its keys are (docs/protocol/signing.md#discovery-of-keys). Who
 * says nothing is held to nothing.
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
  // Whoever signs requests to us has that posture whether or not its capabilities say so.
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

/** Of governance the declared origin is the one that transport keys must not be at, and they are. */
function misplaced(purpose: string, declared: string, jwksUri: string): DiscoveryFailure {
  return {
    code: 'key_origin_mismatch',
    details: { purpose, expected_origin: shownOrigin(declared), actual_origin: shownOrigin(jwksUri) },
  };
}

/** Lower case and A-labels, as `URL` writes them; what is no address is equal to nothing else. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : `no address: ${url}`;
}
