import { usualScopes } from '@switchyard/tenancy';

/** The configured authentication schemes for callers, apart from signatures. */
export interface Schemes {
  /** Accepted issuers, by their exact names. */
  readonly issuers: readonly string[];
  /** Whether client certificates are requested. */
  readonly certificates: boolean;
  /** Whether this instance is an issuer: then its own address is one, unchanged. */
  readonly isOwnIssuer?: boolean;
}

/** Our agents and the REST API, by path. Each is a separate resource (RFC 8707) with its own metadata. */
export const resourcePaths = ['/mcp', '/a2a', '/v1'] as const;

/** Our REST API. Its metadata stands at `api` too, where clients look that know no path. */
const restPath = '/v1';

const metadataPath = '/.well-known/oauth-protected-resource';

/**
 * Extends a challenge with every accepted scheme (RFC 9110, section 11.6.1). Challenges of signatures stay unchanged:
 * they hold only their code.
 */
export function fullChallenge(challenge: string, url: string, path: string, schemes: Schemes): string {
  if (!challenge.startsWith('Bearer ')) return challenge;
  const agent = resourcePaths.find(
    (agentPath) => path === agentPath || path.startsWith(`${agentPath}/`) || path.startsWith(`${agentPath}?`),
  );
  const metadata =
    agent === undefined || authorizationServers(schemes, url).length === 0
      ? ''
      : `, resource_metadata="${url}${metadataPath}${agent}"`;
  return `${challenge}${metadata}, Basic realm="switchyard", charset="UTF-8"`;
}

/**
 * The protected-resource metadata of one of our agents (RFC 9728); undefined if no issuer is trusted: an agent with
 * static credentials alone publishes none.
 */
export function resourceMetadata(url: string, agent: string, schemes: Schemes): object | undefined {
  const servers = authorizationServers(schemes, url);
  const resource = resourcePaths.find((path) => path === agent) ?? (agent === '/api' ? restPath : undefined);
  if (servers.length === 0 || resource === undefined) return undefined;
  return {
    resource: `${url}${resource}`,
    authorization_servers: servers,
    bearer_methods_supported: ['header'],
    ...(schemes.isOwnIssuer === true ? { scopes_supported: usualScopes } : {}),
    resource_name: 'Switchyard',
  };
}

/** This instance, and issuers with a valid address: https, without user, query and fragment. */
function authorizationServers({ issuers, isOwnIssuer }: Schemes, url: string): readonly string[] {
  const others = issuers.filter((issuer) => {
    if (!URL.canParse(issuer) || /[?#]/.test(issuer)) return false;
    const { protocol, username, password } = new URL(issuer);
    return protocol === 'https:' && username === '' && password === '';
  });
  return isOwnIssuer === true ? [url, ...others] : others;
}

interface CardScheme {
  readonly name: string;
  /** In the form of A2A 1.0, and of 0.3. */
  readonly v10: object;
  readonly v03: object;
}

/** The schemes in the form of an agent card. Each is sufficient alone. */
export function cardSchemes({ issuers, certificates }: Schemes): readonly CardScheme[] {
  const http = (name: string, scheme: string, more: Readonly<Record<string, string>> = {}): CardScheme => ({
    name,
    v10: { httpAuthSecurityScheme: { scheme, ...more } },
    v03: { type: 'http', scheme: scheme.toLowerCase(), ...more },
  });
  return [
    http('bearerAuth', 'Bearer'),
    http('basicAuth', 'Basic'),
    ...(issuers.length === 0
      ? []
      : [
          http('jwtAuth', 'Bearer', {
            bearerFormat: 'JWT',
            description: `Tokens of ${issuers.join(', ')}.`,
          }),
        ]),
    ...(certificates
      ? [{ name: 'certificate', v10: { mtlsSecurityScheme: {} }, v03: { type: 'mutualTLS' } }]
      : []),
  ];
}
