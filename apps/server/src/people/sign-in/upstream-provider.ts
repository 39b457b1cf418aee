import { createHash } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { egressCaps, type Egress } from '@switchyard/sellers';
import { err, ok, type Clock, type Instant, type Result, type Secret } from '@switchyard/values';

/**
 * How long the provider's metadata is cached, in milliseconds: short, so that a sign-in while the provider is down
 * fails here with a message, instead of at an address that does not answer.
 */
const metadataMs = 60_000;
/** The timeout of one request to it, and the accepted clock difference, in seconds. */
const requestSeconds = 10;
const skewSeconds = 30;

/** The configured provider. */
export interface UpstreamSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  /** Its name for people. */
  readonly name: string;
  /** Addresses of other domains are never linked. If absent, every domain is accepted. */
  readonly domains?: readonly string[];
  /** An address counts as verified if the provider does not report it. */
  readonly trustsEmail: boolean;
  /** The claim that lists the groups of a person; if absent, groups are not read. */
  readonly groupsClaim?: string;
  /** Scopes that are asked for beside `openid email`. */
  readonly extraScopes?: readonly string[];
}

/** The most groups of one person that are read, and the most characters of one. */
const mostGroups = 2_000;
const longestGroup = 512;

/** A person identified by the provider. */
export interface UpstreamPerson {
  readonly issuer: string;
  readonly subject: string;
  /** In small letters. Absent if no address counts as verified. */
  readonly email?: string;
  /** Present if the claim is read: `unsaid` where the provider left the list out because it is too long. */
  readonly groups?: readonly string[] | 'unsaid';
}

/** The values that bind one sign-in. */
interface UpstreamChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `denied`: it did not sign the person in. `invalid`: its answer is not valid. */
export type ProviderRefusal = 'unreachable' | 'denied' | 'invalid';

/** An OpenID Connect provider: the authorization code flow with PKCE. */
export interface UpstreamProvider {
  authorize(checks: UpstreamChecks, redirectUri: string): Promise<Result<URL, ProviderRefusal>>;
  /** Takes the callback URL of the browser. */
  exchange(answer: URL, checks: UpstreamChecks): Promise<Result<UpstreamPerson, ProviderRefusal>>;
  /**
   * The address where the browser ends its session there (RP-initiated logout) before it returns to `returnTo`. It
   * names our client and no token. Undefined if the provider offers none or does not answer.
   */
  endSession(returnTo: string): Promise<URL | undefined>;
}

interface UpstreamProviderDeps {
  readonly settings: UpstreamSettings;
  readonly egress: Pick<Egress, 'fetchLike'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Loaded at the first sign-in with it. */
const library = () => import('openid-client');

export function createUpstreamProvider(deps: UpstreamProviderDeps): UpstreamProvider {
  const { clock, onUnexpected } = deps;
  let known: { readonly configuration: Promise<Configuration>; readonly until: Instant } | undefined;
  const configurationOf = (): Promise<Configuration> => {
    if (known !== undefined && known.until > clock.now()) return known.configuration;
    const configuration = discover(deps);
    known = { configuration, until: clock.now() + metadataMs };
    configuration.catch(() => {
      known = undefined;
    });
    return configuration;
  };
  /** Errors of the library may contain the answer: only their code is logged. */
  const refused = (error: unknown, refusal: ProviderRefusal): Result<never, ProviderRefusal> => {
    const {
      code,
      error: answered,
      cause,
    } = error as { code?: string; error?: string; cause?: { code?: string } };
    const why = [code, answered, cause?.code].filter((text) => typeof text === 'string').join(' ');
    onUnexpected(new Error(`${refusal}: ${why}`), 'the provider that people sign in with');
    return err(refusal);
  };
  return {
    authorize: async ({ state, nonce, verifier }, redirectUri) => {
      try {
        const { buildAuthorizationUrl } = await library();
        return ok(
          buildAuthorizationUrl(await configurationOf(), {
            redirect_uri: redirectUri,
            scope: ['openid', 'email', ...(deps.settings.extraScopes ?? [])].join(' '),
            state,
            nonce,
            code_challenge: createHash('sha256').update(verifier).digest('base64url'),
            code_challenge_method: 'S256',
          }),
        );
      } catch (error) {
        return refused(error, 'unreachable');
      }
    },
    exchange: async (answer, checks) => {
      const { AuthorizationResponseError, ClientError } = await library();
      try {
        return await personIn(await configurationOf(), answer, checks, deps.settings);
      } catch (error) {
        if (error instanceof AuthorizationResponseError) return err('denied');
        const isLost = error instanceof ClientError && lostCodes.has(error.code ?? '');
        return refused(error, isLost ? 'unreachable' : 'invalid');
      }
    },
    endSession: async (returnTo) => {
      try {
        const { buildEndSessionUrl } = await library();
        const configuration = await configurationOf();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
      } catch (error) {
        refused(error, 'unreachable');
        return undefined;
      }
    },
  };
}

/** The library's codes for a request without an answer, or with an unusable status. */
const lostCodes = new Set(['', 'OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

async function discover({ settings, egress }: UpstreamProviderDeps): Promise<Configuration> {
  const openid = await library();
  const { clockTolerance, customFetch, discovery, enableNonRepudiationChecks } = openid;
  const { issuer, clientId } = settings;
  return discovery(
    new URL(issuer),
    clientId,
    { [clockTolerance]: skewSeconds },
    await clientAuthOf(settings),
    {
      timeout: requestSeconds,
      [customFetch]: async (url: string, { method, headers, body, signal }: CustomFetchOptions) => {
        const sent = { method, headers, body: body as string, ...(signal && { signal }) };
        const answer = await egress.fetchLike(url, { ...sent, maxBytes: egressCaps.jwks });
        return new Response(await answer.text(), { status: answer.status, headers: [...answer.headers] });
      },
      // The settings allow http only for loopback.
      execute: [
        enableNonRepudiationChecks,
        // oxlint-disable-next-line typescript/no-deprecated
        ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, unless the provider accepts a secret only in the body. */
async function clientAuthOf({ clientSecret }: UpstreamSettings): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await library();
  if (clientSecret === undefined) return None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    clientSecret.useText((text) =>
      (inHeader ? ClientSecretBasic(text) : ClientSecretPost(text))(server, client, body, headers),
    );
  };
}

async function personIn(
  configuration: Configuration,
  answer: URL,
  { state, nonce, verifier }: UpstreamChecks,
  { trustsEmail, groupsClaim }: Pick<UpstreamSettings, 'trustsEmail' | 'groupsClaim'>,
): Promise<Result<UpstreamPerson, ProviderRefusal>> {
  const { authorizationCodeGrant, fetchUserInfo } = await library();
  const tokens = await authorizationCodeGrant(configuration, answer, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  const { issuer, userinfo_endpoint: userinfo } = configuration.serverMetadata();
  if (claims?.iss !== issuer) return err('invalid');
  // Many providers omit the address or the groups from the token; userinfo has them.
  const lacks = (name: string | undefined): boolean => name !== undefined && claims[name] === undefined;
  const said: Record<string, unknown> =
    (lacks('email') || lacks(groupsClaim)) && userinfo !== undefined
      ? { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
      : claims;
  const { email, email_verified: isVerified } = said;
  const counts = isVerified === true || (isVerified === undefined && trustsEmail);
  return ok({
    issuer,
    subject: claims.sub,
    ...(typeof email === 'string' && counts && { email: email.toLowerCase() }),
    ...(groupsClaim !== undefined && { groups: groupsIn(said, groupsClaim) }),
  });
}

/**
 * The groups of the claim. A provider that names too many sends only where they could be read (OpenID Connect Core 1.0,
 * 5.6.2): then nobody knows them.
 */
function groupsIn(said: Readonly<Record<string, unknown>>, claim: string): readonly string[] | 'unsaid' {
  const value = said[claim];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    const texts = value.filter((one) => typeof one === 'string' && one.length <= longestGroup);
    return texts.length > mostGroups ? 'unsaid' : (texts as readonly string[]);
  }
  const elsewhere = said['_claim_names'];
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && claim in elsewhere;
  return isElsewhere || said['hasgroups'] === true ? 'unsaid' : [];
}
