import type { ReceivedMessage } from '../verify/verdict.js';

/**
 * The key that a message says it was signed with, and the tag, read without judging anything: they tell which
 * verifier to ask. Undefined where nothing readable is there, which the verifier will say better.
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
