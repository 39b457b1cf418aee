import { resourcePaths } from '../../sign-in/oauth/provider-options.js';
import { scopeNames } from '../../sign-in/oauth/scopes.js';

/** The ways in which a caller may show who it is here, beside a signature: as this installation is configured. */
export interface Schemes {
  /** Issuers whose tokens are taken, exactly as they name themselves. */
  readonly issuers: readonly string[];
  /** Whether certificates of clients are asked for. */
  readonly certificates: boolean;
  /** Whether we are an issuer ourselves: then our own address is one, as it is. */
  readonly isOwnIssuer?: boolean;
}

/** The agents that we are to others, and the REST, by their paths. Each has protected-resource metadata of its own. */
export const agentPaths = resourcePaths;

const metadataPath = '/.well-known/oauth-protected-resource';

/**
 * A challenge with every scheme that would have been taken (RFC 9110, section 11.6.1), given the one that a door made.
 * Challenges of signatures stay alone: they hold their code and nothing else.
 */
export function fullChallenge(challenge: string, url: string, path: string, schemes: Schemes): string {
  if (!challenge.startsWith('Bearer ')) return challenge;
  const agent = agentPaths.find(
    (one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}?`),
  );
  const metadata =
    agent === undefined || authorizationServers(schemes, url).length === 0
      ? ''
      : `, resource_metadata="${url}${metadataPath}${agent}"`;
  return `${challenge}${metadata}, Basic realm="switchyard", charset="UTF-8"`;
}

/**
 * The protected-resource metadata of one of our agents (RFC 9728), or nothing where no issuer is trusted: an agent that
 * takes static credentials alone publishes none.
 */
export function resourceMetadata(url: string, agent: string, schemes: Schemes): object | undefined {
  const servers = authorizationServers(schemes, url);
  if (servers.length === 0 || !agentPaths.some((path) => path === agent)) return undefined;
  return {
    resource: `${url}${agent}`,
    authorization_servers: servers,
    bearer_methods_supported: ['header'],
    ...(schemes.isOwnIssuer === true ? { scopes_supported: advertisedScopes } : {}),
    resource_name: 'Switchyard',
  };
}

/** What a client asks for that does as it is told: all that a person may let a program do. */
const advertisedScopes = scopeNames.filter((name) => !name.includes(':'));

/** Ourselves, and issuers that can be named there: https, without user, query and fragment. */
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
  /** As A2A 1.0 words it, and as 0.3 does. */
  readonly v10: object;
  readonly v03: object;
}

/** The schemes as an agent card tells them. Each is enough by itself. */
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
