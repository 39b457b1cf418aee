import { err, ok, type Result } from '@switchyard/values';
import {
  addressFault,
  failed,
  fetchDocument,
  hostOf,
  textsIn,
  type MetadataEgress,
  type OAuthDocument,
  type OAuthFault,
} from './fetch-document.js';

/** What a seller says about its authorization servers (RFC 9728), checked. */
export interface ProtectedResource {
  /** The agent's address, as the document spells it. */
  readonly resource: string;
  /** Issuers, 1 to 16. */
  readonly issuers: readonly string[];
  /** Scopes that it lists; empty if it lists none. */
  readonly scopes: readonly string[];
  /** Address of the document. */
  readonly url: string;
  /** Of the document, hex. */
  readonly sha256: string;
}

/** The parameter `resource_metadata` of a challenge. */
export interface NamedMetadata {
  readonly value: string;
  readonly isQuoted: boolean;
}

const mostIssuers = 16;

/**
 * Reads the metadata of an agent that answered 401 (RFC 9728, sections 3 and 5.1): at the address that its challenge
 * names, if that is in quotes, secure and at the agent's origin, else below the well-known address with the agent's path
 * and without it. Undefined if there is no document. Its resource has to be exactly the agent's address.
 */
export async function readProtectedResource(
  egress: MetadataEgress,
  agentUrl: string,
  named?: NamedMetadata,
): Promise<Result<ProtectedResource | undefined, OAuthFault>> {
  const fault = named === undefined ? undefined : namedFault(named, agentUrl);
  if (fault !== undefined) return err(fault);
  const urls = named?.isQuoted === true ? [named.value] : wellKnown(agentUrl);
  for (const url of urls) {
    const document = await fetchDocument(egress, url);
    if (!document.ok) return document;
    if (document.value !== undefined) return readResource(egress, agentUrl, document.value);
  }
  return ok(undefined);
}

function namedFault({ value, isQuoted }: NamedMetadata, agentUrl: string): OAuthFault | undefined {
  if (!isQuoted) return undefined;
  const [url, agent] = [URL.parse(value), new URL(agentUrl)];
  if (url === null || `${url.username}${url.password}${url.hash}` !== '')
    return failed('resource_metadata_malformed', 'Its challenge names metadata at what is no address.');
  if (url.protocol !== agent.protocol)
    return failed(
      'resource_metadata_insecure',
      'Its challenge names metadata that is not at an https address.',
    );
  if (url.origin !== agent.origin)
    return failed(
      'resource_metadata_elsewhere',
      `Its challenge names metadata at ${url.host}, which is not the agent's own host.`,
    );
  return undefined;
}

function wellKnown(agentUrl: string): readonly string[] {
  const { origin, pathname, search } = new URL(agentUrl);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  return pathname === '/' && search === '' ? [root] : [`${root}${pathname}${search}`, root];
}

async function readResource(
  egress: MetadataEgress,
  agentUrl: string,
  { url, body, sha256 }: OAuthDocument,
): Promise<Result<ProtectedResource, OAuthFault>> {
  const { resource, authorization_servers: servers } = body;
  if (typeof resource !== 'string' || identityOf(resource) !== identityOf(agentUrl))
    return err(failed('resource_mismatch', 'Its metadata is about another resource than the agent.'));
  if (servers === undefined)
    return err({
      state: 'needs_person',
      code: 'authorization_servers_missing',
      words: 'Its metadata names no authorization server.',
    });
  const issuers = textsIn(servers, mostIssuers);
  if (issuers === undefined)
    return err(
      failed('authorization_servers_malformed', 'Its list of authorization servers cannot be read.'),
    );
  if (issuers.length === 0)
    return err(failed('authorization_servers_empty', 'Its list of authorization servers is empty.'));
  for (const issuer of issuers) {
    const fault = issuer.includes('?')
      ? failed('issuer_malformed', `The issuer at ${hostOf(issuer)} has a query.`)
      : await addressFault(egress, 'issuer', issuer);
    if (fault !== undefined) return err(fault);
  }
  return ok({ resource, issuers, scopes: textsIn(body['scopes_supported']) ?? [], url, sha256 });
}

/** Scheme and host in lower case, without the default port; everything else as it is written. */
function identityOf(address: string): string {
  const [, scheme = '', host = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  const own = scheme.toLowerCase();
  const port = own === 'https' ? /:443$/ : /:80$/;
  return `${own}://${host.toLowerCase().replace(port, '')}${rest}`;
}
