import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
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

/** How a token is asked for: in the name of our client alone, or of a person who consents. */
export type OAuthGrant = 'client_credentials' | 'authorization_code';

/** What an authorization server says about itself (RFC 8414), checked for one grant. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Only for the grant with a person. */
  readonly authorizationEndpoint?: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  /** How a client proves itself at the token endpoint. */
  readonly tokenAuthMethods: readonly string[];
  readonly scopes: readonly string[];
  /** Whether it says who it is when a browser returns from it (RFC 9207). */
  readonly sendsIssuer: boolean;
  /** Whether an address of ours may be our client id. */
  readonly takesClientDocuments: boolean;
  /** Of the document, hex. */
  readonly sha256: string;
}

/**
 * Reads the metadata of an issuer that was pinned before (RFC 8414, section 3), else its OpenID Connect discovery. The
 * issuer in it has to be the same text. Every endpoint that would get a secret or a person is judged. For the grant with
 * a person, PKCE with S256 has to be declared (RFC 7636): without it a downgrade could not be noticed.
 */
export async function readAuthorizationServer(
  egress: MetadataEgress,
  issuer: string,
  grant: OAuthGrant,
): Promise<Result<AuthorizationServer, OAuthFault>> {
  for (const url of wellKnown(issuer)) {
    const document = await fetchDocument(egress, url);
    if (!document.ok) return document;
    if (document.value !== undefined) return readServer(egress, issuer, grant, document.value);
  }
  return err(
    failed('issuer_without_metadata', `The authorization server ${hostOf(issuer)} publishes no metadata.`),
  );
}

/** How our client proves itself. Certificates (`tls_client_auth`, RFC 8705) are for sellers alone. */
const ourMethods: ReadonlySet<string> = new Set([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
]);

function wellKnown(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}

async function readServer(
  egress: MetadataEgress,
  issuer: string,
  grant: OAuthGrant,
  { body, sha256 }: OAuthDocument,
): Promise<Result<AuthorizationServer, OAuthFault>> {
  if (body['issuer'] !== issuer)
    return err(failed('issuer_mismatch', `The metadata of ${hostOf(issuer)} is that of another issuer.`));
  const lists = listsOf(body);
  if (!lists.ok) return lists;
  const { grants, methods, challenges, responses } = lists.value;
  if (!grants.includes(grant))
    return err(
      failed(
        'grant_not_offered',
        `The authorization server ${hostOf(issuer)} does not offer the grant ${grant}.`,
      ),
    );
  if (methods.length > 0 && !methods.some((method) => ourMethods.has(method)))
    return err(
      failed(
        'auth_method_unsupported',
        `The authorization server ${hostOf(issuer)} takes none of our ways to prove our client (${[...ourMethods].join(', ')}).`,
      ),
    );
  const tokenFault = await addressFault(egress, 'token_endpoint', body['token_endpoint']);
  if (tokenFault !== undefined) return err(tokenFault);
  if (grant === 'authorization_code') {
    const fault = await addressFault(egress, 'authorization_endpoint', body['authorization_endpoint']);
    if (fault !== undefined) return err(fault);
    if (!responses.includes('code'))
      return err(
        failed('code_not_offered', `The authorization server ${hostOf(issuer)} does not answer with a code.`),
      );
    if (!challenges.includes('S256'))
      return err(
        failed('pkce_missing', `The authorization server ${hostOf(issuer)} does not declare PKCE with S256.`),
      );
  }
  const optional = async (name: string): Promise<string | undefined> =>
    textAt(body, name) !== '' && (await addressFault(egress, name, body[name])) === undefined
      ? textAt(body, name)
      : undefined;
  return ok({
    issuer,
    tokenEndpoint: textAt(body, 'token_endpoint'),
    ...(grant === 'authorization_code' && { authorizationEndpoint: textAt(body, 'authorization_endpoint') }),
    ...defined({
      registrationEndpoint: await optional('registration_endpoint'),
      revocationEndpoint: await optional('revocation_endpoint'),
    }),
    tokenAuthMethods: methods,
    scopes: textsIn(body['scopes_supported']) ?? [],
    sendsIssuer: body['authorization_response_iss_parameter_supported'] === true,
    takesClientDocuments: body['client_id_metadata_document_supported'] === true,
    sha256,
  });
}

function textAt(body: JsonObject, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** Lists that decide; each that is there has to be a list of texts. The defaults are those of RFC 8414, section 2. */
function listsOf(
  body: JsonObject,
): Result<
  Readonly<Record<'grants' | 'methods' | 'challenges' | 'responses', readonly string[]>>,
  OAuthFault
> {
  const names = {
    grants: ['grant_types_supported', ['authorization_code', 'implicit']],
    methods: ['token_endpoint_auth_methods_supported', ['client_secret_basic']],
    challenges: ['code_challenge_methods_supported', []],
    responses: ['response_types_supported', []],
  } as const;
  const read = { grants: [], methods: [], challenges: [], responses: [] } as Record<
    keyof typeof names,
    readonly string[]
  >;
  for (const key of Object.keys(names) as (keyof typeof names)[]) {
    const [name, usual] = names[key];
    const texts = body[name] === undefined ? usual : textsIn(body[name]);
    if (texts === undefined) return err(failed(`${name}_malformed`, `Its ${name} is no list of texts.`));
    read[key] = texts;
  }
  return ok(read);
}
