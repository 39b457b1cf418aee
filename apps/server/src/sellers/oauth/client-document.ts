import type { AuthorizationServer } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';

/** How our client proves itself at a server that reads its document: by our published key, else not at all. */
type DocumentedClient = 'signed' | 'public';

const pathOf = (connectionId: string, kind: DocumentedClient): string =>
  `/sellers/${connectionId}/${kind}-client.json`;

/** The address of the page to which a browser returns. Each connection has its own (RFC 9700, section 4.4.2). */
export const redirectUriOf = (url: string, connectionId: string): string =>
  `${url}/sellers/${connectionId}/authorised`;

/**
 * Our client id at a server that takes the address of a document for one (draft-ietf-oauth-client-id-metadata-document);
 * undefined where it does not, or could not read ours.
 */
export function documentedClient(
  { takesClientDocuments, tokenAuthMethods }: AuthorizationServer,
  url: string,
  connectionId: string,
): string | undefined {
  if (!takesClientDocuments || !url.startsWith('https://')) return undefined;
  if (tokenAuthMethods.includes('private_key_jwt')) return url + pathOf(connectionId, 'signed');
  return tokenAuthMethods.includes('none') ? url + pathOf(connectionId, 'public') : undefined;
}

/** Whether this client id is the address of a document of ours that names our published key. */
export const isSignedDocument = (clientId: string, url: string, connectionId: string): boolean =>
  clientId === url + pathOf(connectionId, 'signed');

/** The document. It is the same for a connection that does not exist, so that nobody learns which ones do. */
export function clientDocument(url: string, connectionId: string, kind: DocumentedClient): JsonObject {
  return {
    client_id: url + pathOf(connectionId, kind),
    client_name: 'Switchyard',
    client_uri: url,
    redirect_uris: [redirectUriOf(url, connectionId)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(kind === 'signed'
      ? { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${url}/.well-known/jwks.json` }
      : { token_endpoint_auth_method: 'none' }),
  };
}
