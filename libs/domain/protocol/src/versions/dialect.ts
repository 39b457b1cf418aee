import type { Dialect } from './wire-profile.js';

/** All names that differ between the two dialects. No other file contains them. */
export interface DialectNames {
  readonly capabilitiesTask: string;
  /** `tag` of a signed request, RFC 9421. */
  readonly requestTag: string;
  /** `tag` of a signed webhook. */
  readonly webhookTag: string;
  /** JWK member that states the purpose of the key. */
  readonly keyUseMember: string;
  readonly legacySignatureHeader: string;
  readonly legacyTimestampHeader: string;
  /** Only for MCP: older clients send their Bearer token in this header. */
  readonly bearerAliasHeader: string;
  /** Request and answer member with the release as text, for example `3.1`. */
  readonly versionField: string;
  readonly majorVersionField: string;
  /** Member of the capabilities document with versions and idempotency. */
  readonly capabilitiesMember: string;
  /** Envelope member of a fatal error. The `ads` dialect has no special one and uses `error`. */
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
