import { err, ok, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

/** The four fields of the signature, which the seller receives unchanged, in the order in which they are sent. */
const sealedHeaderNames = ['signature', 'signature-input', 'content-digest', 'content-type'] as const;

type SealedHeaderName = (typeof sealedHeaderNames)[number];

export interface SealedHeaders {
  /** Byte for byte as received, names in lower case. */
  readonly forwarded: Readonly<Record<SealedHeaderName, string>>;
  /** Names of the fields that are not sent to the seller: lower case, sorted, unique. Values are not stored. */
  readonly leftBehind: readonly string[];
}

/** Credentials for a recipient other than us. A request with one beside its own credential tries to pass it on. */
const foreignCredentials = /^(proxy-authorization|x-api-key|api-key|x-auth-token|x-access-token)$/;
/** Fields that make the next hop read another method, address or body than the signed one. */
const rewriting = /^(trailer|x-http-method(-override)?|x-method-override|x-original-url|x-rewrite-url)$/;

/**
 * Splits the header lines of a sealed request into those that are sent to the seller and those that are dropped.
 * Only the four fields of the signature are sent, so the others cannot harm the seller. Lines that try to be read in
 * two ways are refused: a repeated field of the signature or a second spelling of one, a connection option that would
 * remove one, a credential beside the one that was checked. RFC 9110 section 5.3 and 7.6.1.
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
  // CGI software reads an underscore as a hyphen.
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
