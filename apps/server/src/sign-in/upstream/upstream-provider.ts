import { createHash } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { egressCaps, type Egress } from '@switchyard/sellers';
import { err, ok, type Clock, type Instant, type Result, type Secret } from '@switchyard/values';

/**
 * How long what the provider publishes of itself is taken as known, in milliseconds: short, so that whoever begins while
 * it is down is told here, and does not end at an address that does not answer.
 */
const metadataMs = 60_000;
/** How long one request to it may take, and how far its clock may be off, in seconds. */
const requestSeconds = 10;
const skewSeconds = 30;

/** Where the settings say that people sign in. */
export interface UpstreamSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  /** What people call it. */
  readonly name: string;
  /** Addresses of other domains link nobody. Absent: of every domain. */
  readonly domains?: readonly string[];
  /** An address counts as verified where the provider does not say whether it is. */
  readonly trustsEmail: boolean;
}

/** Whom the provider vouches for. */
export interface UpstreamPerson {
  readonly issuer: string;
  readonly subject: string;
  /** In small letters. Absent: no address of it counts as verified. */
  readonly email?: string;
}

/** What one sign-in is bound to. */
export interface UpstreamChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `denied`: it did not sign the person in. `invalid`: its answer does not hold. */
export type ProviderRefusal = 'unreachable' | 'denied' | 'invalid';

/** An OpenID Connect provider: the authorization code flow with PKCE. */
export interface UpstreamProvider {
  authorize(checks: UpstreamChecks, redirectUri: string): Promise<Result<URL, ProviderRefusal>>;
  /** Takes the address that the browser was sent back to. */
  exchange(answer: URL, checks: UpstreamChecks): Promise<Result<UpstreamPerson, ProviderRefusal>>;
  /**
   * Where the browser ends its session there (RP-initiated logout) and is sent on to `returnTo`. The address names our
   * client and no token. Undefined: the provider offers none, or does not answer.
   */
  endSession(returnTo: string): Promise<URL | undefined>;
}

export interface UpstreamProviderDeps {
  readonly settings: UpstreamSettings;
  readonly egress: Pick<Egress, 'fetchLike'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Loaded when somebody signs in with it. */
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
  /** Errors of the library may carry what was answered: the log gets their code alone. */
  const refused = (error: unknown, refusal: ProviderRefusal): Result<never, ProviderRefusal> => {
    const {
      code,
      error: answered,
      cause,
    } = error as { code?: string; error?: string; cause?: { code?: string } };
    const why = [code, answered, cause?.code].filter((one) => typeof one === 'string').join(' ');
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
            scope: 'openid email',
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

/** What the library says where a request got no answer, or none with a status that means something. */
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
      // The settings take http for this machine alone.
      execute: [
        enableNonRepudiationChecks,
        // oxlint-disable-next-line typescript/no-deprecated
        ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, unless the provider takes a secret in the body alone. */
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
  { trustsEmail }: Pick<UpstreamSettings, 'trustsEmail'>,
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
  // Many providers leave the address out of the token, for whoever asks for it.
  const { email, email_verified: isVerified } =
    claims['email'] === undefined && userinfo !== undefined
      ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const counts = isVerified === true || (isVerified === undefined && trustsEmail);
  return ok({
    issuer,
    subject: claims.sub,
    ...(typeof email === 'string' && counts && { email: email.toLowerCase() }),
  });
}
