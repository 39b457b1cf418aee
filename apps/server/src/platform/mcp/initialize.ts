import type { JsonObject } from '@switchyard/values';
import type { HttpContext } from '../http/http-context.js';
import { sellersMembers } from '../tasks/answer/summarize-answer.js';

/** The versions with a handshake, newest first. Streamable HTTP without sessions is the same in all of them. */
export const knownVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export function isKnownVersion(version: string): boolean {
  return (knownVersions as readonly string[]).includes(version);
}

/** Structured content came with 2025-06-18; versions are dates. */
export function hasStructuredContent(version: string): boolean {
  return version >= '2025-06-18';
}

/** What signing in adds for a caller without a credential, and where it is done. */
export function signInWords({ url, schemes }: Pick<HttpContext, 'url' | 'schemes'>): string {
  const how =
    schemes.isOwnIssuer === true
      ? `Sign in over OAuth: ${url()}/.well-known/oauth-protected-resource/mcp says where.`
      : `Send a token of ${url()} in the header Authorization.`;
  return `You have not signed in, so answers have no prices. A caller who has signed in sees prices and can buy. ${how}`;
}

/**
 * The answer to `initialize`: the client's version if it is supported, else the newest. The instructions say which text
 * is not to be trusted, and to a caller without a credential what signing in adds.
 */
export function answerInitialize(
  params: JsonObject,
  http: Pick<HttpContext, 'url' | 'schemes' | 'version'>,
  isPublic: boolean,
): object {
  const requested = params['protocolVersion'];
  return {
    protocolVersion:
      typeof requested === 'string' && isKnownVersion(requested) ? requested : knownVersions[0],
    serverInfo: { name: 'switchyard', title: 'Switchyard', version: http.version },
    ...offered(http, isPublic),
  };
}

/** What this server offers, and what its reader should know of it: the same with a handshake and without one. */
export function offered(http: Pick<HttpContext, 'url' | 'schemes'>, isPublic: boolean): JsonObject {
  return {
    capabilities: { tools: { listChanged: false } },
    instructions: [
      'One agent in front of many sellers. Ask get_products or get_signals with a brief: the answer has one row per seller asked. Product ids begin with the seller and a colon; use them as they stand in create_media_buy. /openapi.json has the schemas of the tools in full.',
      sellersMembers,
      ...(isPublic ? [signInWords(http)] : []),
    ].join(' '),
  };
}
