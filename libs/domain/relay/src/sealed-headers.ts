import { err, ok, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

/** What reaches the seller as it came: the four fields that the signature lives in, in the order they are sent. */
export const sealedHeaderNames = ['signature', 'signature-input', 'content-digest', 'content-type'] as const;

export type SealedHeaderName = (typeof sealedHeaderNames)[number];

export interface SealedHeaders {
  /** Byte for byte as received, names in lower case. */
  readonly forwarded: Readonly<Record<SealedHeaderName, string>>;
  /** Names of the fields that stay behind, in lower case, sorted, each once. Values are nobody's business. */
  readonly leftBehind: readonly string[];
}

/** Credentials for somebody else than us: a request that brings one beside its own means to get it through. */
const foreignCredentials = /^(proxy-authorization|x-api-key|api-key|x-auth-token|x-access-token)$/;
/** Fields that make the next hop read another method, address or body than the one that was signed. */
const rewriting = /^(trailer|x-http-method(-override)?|x-method-override|x-original-url|x-rewrite-url)$/;

/**
 * Parts the header lines of a sealed request into what travels on and what stays behind.
 *
 * Only the four fields of the signature travel. All else is dropped, so nothing has to be refused for the seller's
 * sake; what is refused are lines that show somebody trying to be read in two ways: a field of the signature that
 * stands there twice or under a second spelling, a connection option that would strip one, a credential beside the
 * one that was checked. RFC 9110 section 5.3 and 7.6.1.
 */
export function splitSealedHeaders(
  lines: readonly (readonly [name: string, value: string])[],
): Result<SealedHeaders, { readonly code: RelayFaultCode; readonly header: string }> {
  const forwarded = new Map<SealedHeaderName, string>();
  const leftBehind = new Set<string>();
  for (const [rawName, value] of lines) {
    const name = rawName.toLowerCase();
    if (isSealed(name)) {
      if (forwarded.has(name)) return err({ code: 'RELAY_HEADER_REPEATED', header: name });
      forwarded.set(name, value);
      continue;
    }
    if (isSmuggled(name, value)) return err({ code: 'RELAY_HEADER_SMUGGLED', header: shownName(name) });
    leftBehind.add(name);
  }
  for (const name of ['signature', 'signature-input'] as const) {
    if (!forwarded.has(name)) return err({ code: 'RELAY_SIGNATURE_MISSING', header: name });
  }
  return ok({
    forwarded: Object.fromEntries(
      sealedHeaderNames.map((name) => [name, forwarded.get(name) ?? '']),
    ) as Record<SealedHeaderName, string>,
    leftBehind: [...leftBehind].toSorted(),
  });
}

function isSealed(name: string): name is SealedHeaderName {
  return (sealedHeaderNames as readonly string[]).includes(name);
}

function isSmuggled(name: string, value: string): boolean {
  if (foreignCredentials.test(name) || rewriting.test(name)) return true;
  // An underscore reads as a hyphen to everything that speaks CGI.
  if (name.includes('_') && isSealed(name.replaceAll('_', '-'))) return true;
  if (name !== 'connection') return false;
  return value
    .toLowerCase()
    .split(',')
    .some((option) => isSealed(option.trim()) || option.trim() === 'authorization');
}

function shownName(name: string): string {
  return name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 64);
}
