import { Buffer } from 'node:buffer';
import { isJsonObject, parseStrictJson } from '@switchyard/values';

/**
 * Whether a `governance_context` is for the agent at `agentUrl`: a compact JWS whose `aud` is that URL. Its signature
 * is not verified: the seller must do that (docs/protocol/relay.md#governance-context), and a forged audience only
 * makes a seller refuse it. A token with several audiences, or an unreadable one, is for no agent: a guess could show
 * one seller's token to another. A slash at the end of the path is ignored.
 */
export function isMeantFor(governanceContext: string, agentUrl: string): boolean {
  const audience = audienceOf(governanceContext);
  return audience !== undefined && sameAddress(audience, agentUrl);
}

function audienceOf(token: string): string | undefined {
  const parts = token.split('.');
  const [, payload = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))) return undefined;
  const parsed = parseStrictJson(Buffer.from(payload, 'base64url'));
  if (!parsed.ok || !isJsonObject(parsed.value.value)) return undefined;
  const { aud } = parsed.value.value;
  const [only] = Array.isArray(aud) && aud.length === 1 ? aud : [aud];
  return typeof only === 'string' ? only : undefined;
}

function sameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const bare = (url: string): string => new URL(url).href.replace(/\/$/, '');
  return bare(one) === bare(other);
}
