import type { ReceivedMessage } from '../verify/verdict.js';

/**
 * Reads the key id and tag of a message without verifying anything, to select the verifier. Returns `undefined` if they
 * cannot be read; the verifier then reports why.
 */
export function peekSignature(
  headers: ReceivedMessage['headers'],
): { readonly keyid: string; readonly tag: string } | undefined {
  const input = headers
    .filter(([name]) => name.toLowerCase() === 'signature-input')
    .map(([, value]) => value)
    .join(', ');
  const params = /(?:^|[,\s])sig1=\([^)]*\)([^,]*)/.exec(input)?.[1] ?? '';
  const keyid = /;keyid="([^"\\]{1,512})"/.exec(params)?.[1];
  return keyid === undefined ? undefined : { keyid, tag: /;tag="([^"\\]{1,128})"/.exec(params)?.[1] ?? '' };
}
