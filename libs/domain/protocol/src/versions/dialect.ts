import type { Dialect } from './wire-profile.js';

/** Every name that differs between the two dialects. Nothing else in the house spells one of them. */
export interface DialectNames {
  readonly capabilitiesTask: string;
  /** `tag` of a signed request, RFC 9421. */
  readonly requestTag: string;
  /** `tag` of a signed webhook. */
  readonly webhookTag: string;
  /** Member of a JWK that says what the key is for. */
  readonly keyUseMember: string;
  readonly legacySignatureHeader: string;
  readonly legacyTimestampHeader: string;
  /** MCP alone: older clients put their Bearer token here. */
  readonly bearerAliasHeader: string;
  /** Request and answer member with the release as text, for example `3.1`. */
  readonly versionField: string;
  readonly majorVersionField: string;
  /** Member of the capabilities document with versions and idempotency. */
  readonly capabilitiesMember: string;
  /** Envelope member of a fatal error; the `ads` dialect has none of its own and uses `error`. */
  readonly fatalErrorMember: string;
  /** Prefix of OAuth scopes and of signature tags. */
  readonly segment: string;
}

function namesOf(segment: Dialect, fatalErrorMember: string): DialectNames {
  return {
    capabilitiesTask: `get_${segment}_capabilities`,
    requestTag: `${segment}/request-signing/v1`,
    webhookTag: `${segment}/webhook-signing/v1`,
    keyUseMember: `${segment}_use`,
    legacySignatureHeader: `x-${segment}-signature`,
    legacyTimestampHeader: `x-${segment}-timestamp`,
    bearerAliasHeader: `x-${segment}-auth`,
    versionField: `${segment}_version`,
    majorVersionField: `${segment}_major_version`,
    capabilitiesMember: segment,
    fatalErrorMember,
    segment,
  };
}

/** Header names are in lower case. */
export const dialects: Readonly<Record<Dialect, DialectNames>> = {
  ads: namesOf('ads', 'error'),
  adcp: namesOf('adcp', 'adcp_error'),
};
