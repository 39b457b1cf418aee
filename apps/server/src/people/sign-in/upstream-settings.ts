import { Secret } from '@switchyard/values';
import type { UpstreamSettings } from './upstream-provider.js';

/** The settings of the installation's OpenID Connect provider. */
export interface UpstreamVariables {
  readonly SWITCHYARD_OIDC_ISSUER?: string | undefined;
  readonly SWITCHYARD_OIDC_CLIENT_ID?: string | undefined;
  readonly SWITCHYARD_OIDC_CLIENT_SECRET?: string | undefined;
  readonly SWITCHYARD_OIDC_DOMAINS?: readonly string[] | undefined;
  readonly SWITCHYARD_OIDC_NAME?: string | undefined;
  readonly SWITCHYARD_OIDC_TRUST_EMAIL?: string | undefined;
}

/** The provider of the installation; undefined if it has none. */
export function upstreamSettings(settings: UpstreamVariables): UpstreamSettings | undefined {
  const {
    SWITCHYARD_OIDC_ISSUER: issuer,
    SWITCHYARD_OIDC_CLIENT_ID: clientId,
    SWITCHYARD_OIDC_CLIENT_SECRET: secret,
    SWITCHYARD_OIDC_DOMAINS: domains,
  } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    name: settings.SWITCHYARD_OIDC_NAME ?? new URL(issuer).host,
    ...(secret !== undefined && { clientSecret: new Secret(Buffer.from(secret, 'utf8')) }),
    ...(domains !== undefined && { domains: domains.map((domain) => domain.toLowerCase()) }),
    trustsEmail: settings.SWITCHYARD_OIDC_TRUST_EMAIL === 'true',
  };
}
