import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import type { AgentInfo } from '../agent/agent-info.js';
import type { ReceivedPost } from './receiver.js';

/**
 * Checks one webhook against the agent's published key with nothing but the standard library, so that a mistake which
 * signer and verifier of this house share would still be seen. Returns the signature's parameters.
 */
export async function checkSignature(
  agent: AgentInfo,
  post: ReceivedPost,
): Promise<Readonly<Record<string, string>>> {
  const header = (name: string): string => {
    const values = post.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    if (values.length !== 1) throw new Error(`${name} occurs ${String(values.length)} times`);
    return values[0] ?? '';
  };
  const inner = header('signature-input').replace(/^sig1=/, '');
  const url = new URL(post.url);
  const base = [
    '"@method": POST',
    `"@target-uri": ${url.href}`,
    `"@authority": ${url.host}`,
    `"content-type": ${header('content-type')}`,
    `"content-digest": ${header('content-digest')}`,
    `"@signature-params": ${inner}`,
  ].join('\n');
  if (!inner.startsWith('("@method" "@target-uri" "@authority" "content-type" "content-digest")')) {
    throw new Error(`components: ${inner}`);
  }
  const digest = createHash('sha256').update(post.bytes).digest('base64url');
  if (header('content-digest') !== `sha-256=:${digest}:`) throw new Error('the digest is of other bytes');
  const params = Object.fromEntries(
    [...inner.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, text, number]) => [
      name,
      text ?? number ?? '',
    ]),
  ) as Record<string, string>;
  const { keys } = (await (await fetch(agent.jwks_uri)).json()) as { keys: (JsonWebKey & { kid: string })[] };
  const jwk = keys.find(({ kid }) => kid === params['keyid']);
  if (!jwk) throw new Error('signed by a key that is not published');
  const signature = Buffer.from(header('signature').replace(/^sig1=:|:$/g, ''), 'base64url');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify(null, Buffer.from(base), key, signature)) throw new Error('the signature does not fit');
  return params;
}
