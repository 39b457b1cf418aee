import { Buffer } from 'node:buffer';
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { egressCaps, hostOf, type AuthorizationServer, type Egress } from '@switchyard/sellers';
import { err, ok, Secret, type Instant, type JsonObject, type Result } from '@switchyard/values';

/** Tokens as an authorization server gave them. The receiver wipes them. */
export interface Tokens {
  readonly access: Secret;
  readonly refresh?: Secret;
  /** Life of the access token in milliseconds; absent if it was not told. */
  readonly lifeMs?: number;
}

/**
 * Why there is no token. `passing`: nothing was decided; `lost`: the request may have arrived, and no answer did;
 * `client`: our client is not taken; `grant`: a person has to sign in again; `answer`: what came is no usable answer.
 */
export interface TokenRefusal {
  readonly kind: 'passing' | 'lost' | 'client' | 'grant' | 'answer';
  readonly code: string;
  /** One sentence; texts of the authorization server are cut. */
  readonly words: string;
}

/** Our client at an authorization server. Without a secret it is a public client. */
export interface OAuthClient {
  readonly server: AuthorizationServer;
  readonly id: string;
  readonly secret?: Secret;
  /** Proves it by a signature instead (RFC 7523): for the audience, the server's issuer. */
  readonly assert?: (audience: string) => Promise<Result<string, TokenRefusal>>;
}

/** What one token is asked for (RFC 8707 for the resource). */
export interface TokenScope {
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** What binds the return of a browser. */
export interface CodeChecks {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export type TokenHint = 'access_token' | 'refresh_token';

export interface RegisteredClient {
  readonly id: string;
  readonly secret?: Secret;
  /** When the secret ends, as told (RFC 7591, section 3.2.1). */
  readonly secretEndsAt?: Instant;
}

type Outcome = Promise<Result<Tokens, TokenRefusal>>;

/** Messages to authorization servers, by the library, through our guard: no redirects, 64 KiB, 10 seconds. */
export interface TokenRequests {
  byClient(client: OAuthClient, scope: TokenScope): Outcome;
  byRefresh(client: OAuthClient, refresh: Secret, scope: TokenScope): Outcome;
  /** `returned` is the address of the return: our own, with the query that the browser brought. */
  byCode(client: OAuthClient, returned: URL, checks: CodeChecks, scope: TokenScope): Outcome;
  /** The address at the authorization server for a person's browser (RFC 6749, section 4.1.1; RFC 7636). */
  authorizeUrl(
    client: OAuthClient,
    challenge: string,
    checks: Omit<CodeChecks, 'verifier'>,
    scope: TokenScope,
  ): Promise<URL>;
  /** Has a token ended (RFC 7009), with everything that was given with it. Undefined where the server takes no such request. */
  revoke(client: OAuthClient, token: Secret, hint: TokenHint): Promise<TokenRefusal | undefined>;
  /** Registers a client for one redirect address (RFC 7591). */
  register(
    server: AuthorizationServer,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<Result<RegisteredClient, TokenRefusal>>;
}

const requestSeconds = 10;
/** Loaded at the first sign-in by OAuth. */
const library = () => import('openid-client');

export function tokenRequests(egress: Pick<Egress, 'fetchLike'>): TokenRequests {
  const asked = async (
    client: OAuthClient,
    ask: (openid: Awaited<ReturnType<typeof library>>, configuration: Configuration) => Promise<TokenAnswer>,
  ): Outcome => {
    const openid = await library();
    const proof = await proofOf(client);
    if (!proof.ok) return proof;
    try {
      const answer = await ask(openid, configurationOf(openid, client, egress, proof.value));
      if (answer.token_type !== 'bearer') return err(notBearer(client, answer.token_type));
      return isToken.test(answer.access_token) ? ok(tokensOf(answer)) : err(unusable(client));
    } catch (error) {
      return err(refusalOf(openid, error, hostOf(client.server.tokenEndpoint)));
    }
  };
  return {
    byClient: (client, scope) =>
      asked(client, (openid, configuration) => openid.clientCredentialsGrant(configuration, paramsOf(scope))),
    byRefresh: (client, refresh, { resource }) =>
      asked(client, (openid, configuration) =>
        openid.refreshTokenGrant(
          configuration,
          refresh.useText((text) => text),
          { resource },
        ),
      ),
    byCode: (client, returned, { state, verifier }, { resource }) =>
      asked(client, (openid, configuration) =>
        openid.authorizationCodeGrant(
          configuration,
          returned,
          { expectedState: state, pkceCodeVerifier: verifier },
          { resource },
        ),
      ),
    authorizeUrl: async (client, challenge, { state, redirectUri }, scope) => {
      const openid = await library();
      return openid.buildAuthorizationUrl(configurationOf(openid, client, egress), {
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...paramsOf(scope),
      });
    },
    revoke: async (client, token, hint) => {
      if (client.server.revocationEndpoint === undefined) return undefined;
      const openid = await library();
      const proof = await proofOf(client);
      if (!proof.ok) return proof.error;
      try {
        await openid.tokenRevocation(
          configurationOf(openid, client, egress, proof.value),
          token.useText((text) => text),
          { token_type_hint: hint },
        );
        return undefined;
      } catch (error) {
        return refusalOf(openid, error, hostOf(client.server.revocationEndpoint));
      }
    },
    register: (server, redirectUri, scopes) => register(egress, server, redirectUri, scopes),
  };
}

/** The signature that proves our client; undefined for one with a secret, and for a public one. */
async function proofOf({
  secret,
  assert,
  server: { issuer },
}: OAuthClient): Promise<Result<string | undefined, TokenRefusal>> {
  return secret === undefined && assert !== undefined ? assert(issuer) : ok(undefined);
}

interface TokenAnswer {
  /** In lower case. */
  readonly token_type: string;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

/** A longer life is not believed: ten years, in seconds. */
const longestSeconds = 10 * 365 * 86_400;

const secretOf = (text: string): Secret => new Secret(Buffer.from(text, 'utf8'));

function tokensOf({
  access_token: access,
  refresh_token: refresh,
  expires_in: seconds,
}: TokenAnswer): Tokens {
  return {
    access: secretOf(access),
    ...(refresh !== undefined && { refresh: secretOf(refresh) }),
    ...(seconds !== undefined &&
      Number.isFinite(seconds) && { lifeMs: Math.floor(Math.min(seconds, longestSeconds) * 1_000) }),
  };
}

const paramsOf = ({ resource, scopes }: TokenScope): Record<string, string> => ({
  resource,
  ...(scopes.length > 0 && { scope: scopes.join(' ') }),
});

function configurationOf(
  openid: Awaited<ReturnType<typeof library>>,
  client: OAuthClient,
  egress: Pick<Egress, 'fetchLike'>,
  assertion?: string,
): Configuration {
  const { server } = client;
  const configuration = new openid.Configuration(
    {
      issuer: server.issuer,
      token_endpoint: server.tokenEndpoint,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [...server.tokenAuthMethods],
      authorization_response_iss_parameter_supported: server.sendsIssuer,
      ...(server.revocationEndpoint !== undefined && { revocation_endpoint: server.revocationEndpoint }),
      ...(server.authorizationEndpoint !== undefined && {
        authorization_endpoint: server.authorizationEndpoint,
      }),
    },
    client.id,
    {},
    clientAuthOf(openid, client, assertion),
  );
  configuration.timeout = requestSeconds;
  configuration[openid.customFetch] = async (
    url: string,
    { method, headers, body, signal }: CustomFetchOptions,
  ) => {
    const sent = { method, headers, body: body as string, ...(signal && { signal }) };
    const answer = await egress.fetchLike(url, { ...sent, maxBytes: egressCaps.jwks });
    // The error in the body says more than a challenge, which the library would stop at.
    const told = [...answer.headers].filter(([name]) => name !== 'www-authenticate');
    return new Response(withUsableEnd(await answer.text()), { status: answer.status, headers: told });
  };
  // The guard lets plain http reach loopback alone, in the local profile.
  // oxlint-disable-next-line typescript/no-deprecated
  if (server.tokenEndpoint.startsWith('http:')) openid.allowInsecureRequests(configuration);
  return configuration;
}

/** A life that is none counts as not told: zero, less, null, or no number. */
function withUsableEnd(text: string): string {
  if (!text.includes('expires_in')) return text;
  try {
    const { expires_in: told, ...others } = JSON.parse(text) as JsonObject;
    const seconds = typeof told === 'string' ? Number.parseFloat(told) : told;
    const isUsable = told === undefined || (typeof seconds === 'number' && seconds > 0);
    return isUsable ? text : JSON.stringify(others);
  } catch {
    return text;
  }
}

/** In the header, unless the server takes a secret in the body alone. */
function clientAuthOf(
  { ClientSecretBasic, ClientSecretPost, None }: Awaited<ReturnType<typeof library>>,
  { id, secret, server: { tokenAuthMethods: methods } }: OAuthClient,
  assertion: string | undefined,
): ClientAuth {
  if (assertion !== undefined)
    return (_server, _client, body) => {
      body.set('client_id', id);
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      body.set('client_assertion', assertion);
    };
  if (secret === undefined) return None();
  const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
  return (...request) =>
    secret.useText((text) => (inHeader ? ClientSecretBasic(text) : ClientSecretPost(text))(...request));
}

/** The library takes tokens that are bound to a key (RFC 9449) too, and we could not use them. */
const notBearer = ({ server }: OAuthClient, type: string): TokenRefusal => ({
  kind: 'answer',
  code: 'token_type_unsupported',
  words: `The authorization server ${hostOf(server.tokenEndpoint)} gives a token of the type ${shown(type, 20)}, and only Bearer tokens can be used: ask the seller for them.`,
});

/** RFC 6750, section 2.1 has fewer signs; others are taken that a header can carry. */
const isToken = /^[\x21-\x7e]+$/;

const unusable = ({ server }: OAuthClient): TokenRefusal => ({
  kind: 'answer',
  code: 'token_unusable',
  words: `The authorization server ${hostOf(server.tokenEndpoint)} gives a token with signs that no request can carry, such as a space or a line break.`,
});

const isNoAnswer = new Set([
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
]);
const ofClient = new Set(['invalid_client', 'unauthorized_client', 'access_denied']);
const longestWords = 300;

/** Errors of the library may hold the answer: only codes and the described error are taken. */
function refusalOf(
  { ResponseBodyError, AuthorizationResponseError }: Awaited<ReturnType<typeof library>>,
  error: unknown,
  host: string,
): TokenRefusal {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const status = error instanceof ResponseBodyError ? error.status : 400;
    const code = shown(error.error, 60);
    const says = error.error_description === undefined ? '' : ` Its words: ${shown(error.error_description)}`;
    const words = `The authorization server ${host} refused: ${code}.${says}`;
    if (status === 429 || status >= 500) return { kind: 'passing', code, words };
    return { kind: ofClient.has(code) ? 'client' : 'grant', code, words };
  }
  const { code = '', cause } = error as { readonly code?: string; readonly cause?: unknown };
  const {
    code: inner,
    delivered,
    status,
  } = (cause ?? {}) as {
    readonly code?: string;
    readonly delivered?: string;
    readonly status?: number;
  };
  if (typeof status === 'number' && (status === 429 || status >= 500))
    return {
      kind: 'passing',
      code: `http_${status}`,
      words: `The authorization server ${host} answers with status ${status}.`,
    };
  if (delivered !== undefined || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') {
    const why = inner === 'redirect_refused' ? 'it redirects' : (inner ?? 'no answer in time');
    return {
      kind: inner === 'redirect_refused' ? 'answer' : delivered === 'no' ? 'passing' : 'lost',
      code: inner ?? 'timeout',
      words: `The authorization server ${host} gave no answer: ${why}.`,
    };
  }
  return {
    // A page of a proxy, or of a server that is being repaired, says nothing about the grant.
    kind: isNoAnswer.has(code) ? 'lost' : 'answer',
    code: code === '' ? 'invalid_answer' : code.toLowerCase().replace('oauth_', ''),
    words: isNoAnswer.has(code)
      ? `The authorization server ${host} answers with something else than a token or a refusal in JSON.`
      : `The answer of the authorization server ${host} does not hold (${code === '' ? 'invalid' : code}).`,
  };
}

const shown = (text: string, most = longestWords): string =>
  text.replace(/[^\x20-\x7e]/g, '?').slice(0, most);

async function register(
  egress: Pick<Egress, 'fetchLike'>,
  server: AuthorizationServer,
  redirectUri: string,
  scopes: readonly string[],
): Promise<Result<RegisteredClient, TokenRefusal>> {
  const host = hostOf(server.registrationEndpoint ?? '');
  const isConfidential = server.tokenAuthMethods.some((method) => method.startsWith('client_secret_'));
  const method = server.tokenAuthMethods.includes('client_secret_basic')
    ? 'client_secret_basic'
    : 'client_secret_post';
  const wanted: JsonObject = {
    client_name: 'Switchyard',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // Said always: a server's own default may be one that we do not send.
    token_endpoint_auth_method: isConfidential ? method : 'none',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  try {
    const answer = await egress.fetchLike(server.registrationEndpoint ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(wanted),
      signal: AbortSignal.timeout(requestSeconds * 1_000),
      maxBytes: egressCaps.jwks,
    });
    const made = (await answer.json()) as JsonObject;
    const { client_id: id, client_secret: secret, client_secret_expires_at: ends } = made;
    if (answer.status < 300 && typeof id === 'string' && id !== '' && id.length <= 1_024)
      return ok({
        id,
        ...(typeof secret === 'string' && secret !== '' && { secret: secretOf(secret) }),
        // 0: never.
        ...(Number.isSafeInteger(ends) && Number(ends) > 0 && { secretEndsAt: Number(ends) * 1_000 }),
      });
    const code = typeof made['error'] === 'string' ? shown(made['error'], 60) : `http_${answer.status}`;
    return err({
      kind: 'client',
      code,
      words: `The authorization server ${host} does not register us: ${code}.`,
    });
  } catch {
    return err({
      kind: 'passing',
      code: 'registration_unanswered',
      words: `The authorization server ${host} did not answer our registration as it should.`,
    });
  }
}
