import {
  hostOf,
  pinIssuer,
  readAuthorizationServer,
  type AuthorizationServer,
  type CheckResult,
  type Connection,
  type IssuerPin,
  type OAuthGrant,
  type ProtectedResource,
  type SellerAuthorization,
  type SignIn,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined } from '@switchyard/values';
import { destinationOf } from '@switchyard/vault';
import { holderOfSecret } from './obtain-token.js';
import { beginConsent } from './consent.js';
import { isCalled, renewToken } from './renew-token.js';
import type { AskedSignIn, SignInDeps } from './sign-in-deps.js';

interface SignInRequest {
  readonly scope: TenantScope;
  /** As it is now. */
  readonly connection: () => Connection;
  readonly asked: AskedSignIn;
  /** UUID of the client whose own login it will be; absent: that of the connection. */
  readonly forClient?: string;
  /** UUID of the person who asks. */
  readonly principalId: string;
  /** Told where the person consents. */
  readonly onConsent: (authorizeUrl: string) => void;
}

/** The sign-in at one seller, as the gate runs it (docs/protocol/sellers.md#sign-in-by-oauth). */
export function sellerSignIn(deps: SignInDeps, request: SignInRequest): SignIn {
  const { scope, asked } = request;
  let isDone = false;
  return {
    isDue: async () => {
      if (isDone) return false;
      const known = await deps.authorizations.find(scope, request.connection().id);
      if (known === undefined || !isCalled(known))
        return (
          known !== undefined ||
          asked.consents === true ||
          asked.clientId !== undefined ||
          asked.issuer !== undefined
        );
      if (asked.clientSecret !== undefined) return true;
      return grantOf(asked, known) !== known.grant || (asked.issuer ?? known.pin.issuer) !== known.pin.issuer;
    },
    run: async (resource, scopes) => {
      const result = await signIn(deps, request, resource, scopes);
      isDone = result.state === 'passed';
      return result;
    },
  };
}

function grantOf(asked: AskedSignIn, known: SellerAuthorization | undefined): OAuthGrant | undefined {
  if (asked.consents === true) return 'authorization_code';
  return asked.clientId === undefined ? known?.grant : 'client_credentials';
}

async function signIn(
  deps: SignInDeps,
  request: SignInRequest,
  resource: ProtectedResource,
  wantedScopes: readonly string[],
): Promise<CheckResult> {
  const { scope, asked } = request;
  const { id, slug, agentUrl } = request.connection();
  const { forClient } = request;
  const [known, base] = await Promise.all([
    deps.authorizations.find(scope, id, forClient),
    forClient === undefined ? undefined : deps.authorizations.find(scope, id),
  ]);
  const add =
    forClient === undefined
      ? `switchyard sellers add INPUT --slug ${slug}`
      : `switchyard accounts login --seller ${slug} --client ${forClient}`;
  const pinned = known?.pin ?? base?.pin;
  const pin = pinIssuer(agentUrl, resource.issuers, { pinned, named: asked.issuer });
  const way = grantOf(asked, known);
  if (!pin.ok) {
    const flags = way === 'client_credentials' ? '--client-id ID ' : '--oauth ';
    return {
      ...pin.error,
      next: `If you know that the seller signs in there: ${add} ${flags}--issuer URL`,
      evidence: { issuers: [...resource.issuers] },
    };
  }
  const host = hostOf(pin.value.issuer);
  // Who names the issuer alone signs in themselves, where that is offered.
  const grant = way ?? (asked.issuer === undefined ? undefined : 'authorization_code');
  if (grant === undefined)
    return {
      state: 'needs_person',
      code: 'oauth_wanted',
      words: `It wants a token of its authorization server ${host}.`,
      next: `Sign in there: ${add} --oauth. As a client that the seller made for us, with its secret on standard input: ${add} --client-id ID. With a token: ${add} --token-stdin`,
      evidence: { issuer: pin.value.issuer, why: pin.value.why },
    };
  const server = await readAuthorizationServer(deps.egress, pin.value.issuer, grant);
  if (!server.ok)
    return { ...server.error, next: `Tell the seller, or add it with a token: ${add} --token-stdin` };
  const kept =
    known === undefined && grant === 'authorization_code'
      ? registered(keptOf(base, server.value, resource, grant))
      : keptOf(known, server.value, resource, grant);
  const scopes = wantedScopes.length > 0 ? wantedScopes : (known?.scopes ?? base?.scopes ?? []);
  const pending = pendingOf(deps, request, { pin: pin.value, pinned, server: server.value, grant });
  const authorization: SellerAuthorization = {
    ...pending,
    ...kept,
    resource: resource.resource,
    scopes: withOffline(scopes, server.value, grant),
    ...defined({ clientId: asked.clientId ?? kept.clientId }),
  };
  return grant === 'client_credentials'
    ? byClient(deps, request, authorization)
    : beginConsent(deps, { ...request, connection: request.connection() }, authorization);
}

/** What a client shares with the connection: our OAuth client, and no token. */
const registered = ({ clientId, clientCredentialId }: ReturnType<typeof keptOf>): ReturnType<typeof keptOf> =>
  defined({ clientId, clientCredentialId });

/** What stays of an earlier sign-in: only what was made for this server, this agent and this way. */
function keptOf(
  known: SellerAuthorization | undefined,
  server: AuthorizationServer,
  { resource }: ProtectedResource,
  grant: OAuthGrant,
): Partial<
  Pick<SellerAuthorization, 'clientId' | 'clientCredentialId' | 'accessCredentialId' | 'accessVersion'>
> {
  if (known === undefined) return {};
  const { clientId, clientCredentialId, accessCredentialId, accessVersion } = known;
  const isSameServer =
    known.grant === grant &&
    known.pin.issuer === server.issuer &&
    destinationOf(known.server.tokenEndpoint) === destinationOf(server.tokenEndpoint);
  return {
    ...(isSameServer && defined({ clientId, clientCredentialId })),
    ...(destinationOf(known.resource) === destinationOf(resource) &&
      defined({ accessCredentialId, accessVersion })),
  };
}

/** A refresh token is asked for only by its own scope, where the server lists it. */
function withOffline(
  scopes: readonly string[],
  server: AuthorizationServer,
  grant: OAuthGrant,
): readonly string[] {
  const isOffered = grant === 'authorization_code' && server.scopes.includes('offline_access');
  return isOffered && !scopes.includes('offline_access') ? [...scopes, 'offline_access'] : scopes;
}

function pendingOf(
  { clock }: SignInDeps,
  { connection, principalId, forClient }: SignInRequest,
  {
    pin,
    pinned,
    server,
    grant,
  }: {
    readonly pin: IssuerPin;
    readonly pinned: SellerAuthorization['pin'] | undefined;
    readonly server: AuthorizationServer;
    readonly grant: OAuthGrant;
  },
): Omit<SellerAuthorization, 'resource' | 'scopes'> {
  return {
    connectionId: connection().id,
    ...defined({ forClient }),
    grant,
    state: 'pending',
    code: 'pending',
    words: `It waits for a token of ${hostOf(pin.issuer)}.`,
    pin: pinned?.issuer === pin.issuer ? pinned : { ...pin, by: principalId, at: clock.now() },
    server,
    failures: 0,
    version: 1,
  };
}

/** In the name of our client alone (RFC 6749, section 4.4): the secret is sealed for the token endpoint first. */
async function byClient(
  deps: SignInDeps,
  { scope, asked, connection }: SignInRequest,
  authorization: SellerAuthorization,
): Promise<CheckResult> {
  const { id: connectionId, slug: seller } = connection();
  const { server, clientCredentialId: before } = authorization;
  const takesSecrets = server.tokenAuthMethods.some((method) => method.startsWith('client_secret_'));
  const isSigned = asked.clientSecret === undefined && server.tokenAuthMethods.includes('private_key_jwt');
  if (!takesSecrets && !isSigned)
    return {
      state: 'failed',
      code: 'auth_method_not_offered',
      words: `The authorization server ${hostOf(server.issuer)} takes no client secret, only: ${server.tokenAuthMethods.slice(0, 10).join(', ')}. We prove ourselves by a client secret or by our published key (private_key_jwt).`,
      next: 'Ask the seller for a client with a secret, or for a token.',
    };
  const hasProof = asked.clientSecret !== undefined || before !== undefined || isSigned;
  if (authorization.clientId === undefined || !hasProof)
    return {
      state: 'needs_person',
      code: 'client_secret_wanted',
      words: 'Our client there has no secret here.',
      next: `Add it again, with the secret on standard input: switchyard sellers add INPUT --slug ${seller} --client-id ID`,
    };
  let clientCredentialId = before;
  if (asked.clientSecret !== undefined) {
    const destination = destinationOf(server.tokenEndpoint);
    const put = await deps.vault.put(scope, {
      kind: 'oauth_client',
      secret: asked.clientSecret,
      destination,
      connectionId,
      seller,
      ...defined({ clientId: holderOfSecret(authorization) }),
    });
    if (!put.ok)
      return {
        state: 'failed',
        code: 'vault_unavailable',
        words: 'The vault cannot seal anything now.',
        next: 'Try again.',
      };
    clientCredentialId = put.value.credentialId;
    if (before !== undefined) await deps.vault.revoke(scope, before);
  }
  const saved = { ...authorization, ...defined({ clientCredentialId }) };
  await deps.authorizations.save(scope, saved, deps.clock.now());
  const stored = await deps.authorizations.find(scope, connectionId, authorization.forClient);
  const got = stored && (await renewToken(deps, scope, stored));
  if (got === undefined)
    return {
      state: 'failed',
      code: 'overtaken',
      words: 'Somebody else signs in there now.',
      next: 'Try again.',
    };
  if (!got.ok)
    return {
      state: 'failed',
      code: `oauth_${got.error.code}`.slice(0, 80),
      words: got.error.words,
      next: 'Try again, or enter another client.',
    };
  return signedIn(got.value);
}

/** The result of a check whose sign-in has a token. */
export function signedIn({ pin, scopes, words, expiresAt }: SellerAuthorization): CheckResult {
  return {
    state: 'passed',
    code: 'authorised',
    words: `${hostOf(pin.issuer)} gave us a token. ${words}`,
    evidence: {
      issuer: pin.issuer,
      why: pin.why,
      scopes: [...scopes],
      ...(expiresAt !== undefined && { ends: expiresAt }),
    },
  };
}
