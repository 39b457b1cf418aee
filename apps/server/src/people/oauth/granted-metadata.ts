import { programScopes } from '@switchyard/tenancy';
import type { JsonObject, JsonValue } from '@switchyard/values';

export const grantTypes = ['authorization_code', 'refresh_token'] as const;

/** Scopes of OpenID Connect that are known beside those of programs. */
export const openidScopes = ['openid', 'offline_access'] as const;

interface GrantedMetadata {
  /** What is registered. It names no scope, so that a program may ask for others later. */
  readonly metadata: JsonObject;
  /** The requested scopes that exist here, for the answer; absent if the request names none. */
  readonly scope?: string;
}

/**
 * What a program gets of the metadata that it asked to register (RFC 7591, section 3.2.1): a public client without a
 * secret, the grant types that we have, and known scopes. The rest of the request stays, and is checked afterwards.
 */
export function grantedMetadata(requested: JsonObject): GrantedMetadata {
  const { scope, token_endpoint_auth_signing_alg: _unused, ...rest } = requested;
  const known = textOf(scope).filter(isKnownScope).join(' ');
  const types = listOf(rest['grant_types']);
  const metadata: JsonObject = {
    ...rest,
    token_endpoint_auth_method: 'none',
    ...(types !== undefined && {
      grant_types: grantTypes.filter((type) => type === 'authorization_code' || types.includes(type)),
    }),
    ...(rest['response_types'] !== undefined && { response_types: ['code'] }),
  };
  return { metadata, ...(known !== '' && { scope: known }) };
}

function isKnownScope(name: string): boolean {
  return programScopes.includes(name) || openidScopes.some((known) => known === name);
}

const textOf = (value: JsonValue | undefined): readonly string[] =>
  typeof value === 'string' ? value.split(' ') : [];

const listOf = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;
