import { createHash, createHmac } from 'node:crypto';
import { hostOf, type CheckResult, type Connection, type SellerAuthorization } from '@switchyard/sellers';
import type { SellerConsent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Result } from '@switchyard/values';
import { destinationOf } from '@switchyard/vault';
import { obtainToken } from './obtain-token.js';
import { noteRefusal } from './renew-token.js';
import type { SignInDeps } from './sign-in-deps.js';
import { documentedClient, redirectUriOf } from './client-document.js';
import type { OAuthClient, TokenRefusal } from './token-requests.js';

/** How long a person may take, in milliseconds. */
const consentMs = 10 * 60_000;

interface ConsentRequest {
  readonly scope: TenantScope;
  readonly connection: Connection;
  readonly principalId: string;
  readonly onConsent: (authorizeUrl: string) => void;
}

/** Prepares a person's consent: sees to a client, and makes the address at which the person begins. */
export async function beginConsent(
  deps: SignInDeps,
  request: ConsentRequest,
  authorization: SellerAuthorization,
): Promise<CheckResult> {
  const { scope, connection, principalId } = request;
  const client = await clientFor(deps, request, authorization);
  if (!client.ok) return client.error;
  const { clientId } = client.value;
  await deps.authorizations.save(scope, { ...authorization, ...client.value }, deps.clock.now());
  const state = deps.randomBytes(32).toString('base64url');
  await deps.authorizations.beginConsent(scope, {
    stateHash: hashOf(state),
    connectionId: connection.id,
    ...defined({ forClient: authorization.forClient }),
    issuer: authorization.pin.issuer,
    clientId,
    startedBy: principalId,
    expiresAt: deps.clock.now() + consentMs,
  });
  const authorizeUrl = `${deps.url()}/sellers/${connection.id}/authorise?state=${state}`;
  request.onConsent(authorizeUrl);
  return {
    state: 'needs_person',
    code: 'consent_wanted',
    words: `It waits until you have signed in at ${hostOf(authorization.server.authorizationEndpoint ?? '')}.`,
    next: 'Open authorize_url in your browser within ten minutes. The checks go on by themselves after it.',
    evidence: {
      issuer: authorization.pin.issuer,
      why: authorization.pin.why,
      scopes: [...authorization.scopes],
    },
  };
}

/** Our client: the one that an admin named, the one of before, or one that we register now. */
async function clientFor(
  deps: SignInDeps,
  { scope, connection }: ConsentRequest,
  { clientId, clientCredentialId, server, scopes }: SellerAuthorization,
): Promise<Result<{ readonly clientId: string; readonly clientCredentialId?: string }, CheckResult>> {
  if (clientId !== undefined) return ok({ clientId, ...defined({ clientCredentialId }) });
  const redirectUri = redirectUriOf(deps.url(), connection.id);
  const documented = documentedClient(server, deps.url(), connection.id);
  if (documented !== undefined) return ok({ clientId: documented });
  if (server.registrationEndpoint === undefined)
    return err({
      state: 'needs_person',
      code: 'client_wanted',
      words: `The authorization server ${hostOf(server.issuer)} registers no clients by itself.`,
      next: `Ask the seller for a client with the redirect address ${redirectUri}, then: switchyard sellers add INPUT --slug ${connection.slug} --oauth --client-id ID`,
    });
  const made = await deps.requests.register(server, redirectUri, scopes);
  if (!made.ok)
    return err({
      state: 'failed',
      code: `oauth_${made.error.code}`.slice(0, 80),
      words: made.error.words,
      next: 'Try again, or ask the seller for a client.',
    });
  const { id, secret, secretEndsAt } = made.value;
  if (secret === undefined) return ok({ clientId: id });
  const put = await deps.vault.put(scope, {
    kind: 'oauth_client',
    secret,
    destination: destinationOf(server.tokenEndpoint),
    connectionId: connection.id,
    seller: connection.slug,
  });
  secret.wipe();
  if (put.ok && secretEndsAt !== undefined)
    await deps.vault.setEnd(scope, put.value.credentialId, secretEndsAt);
  return put.ok
    ? ok({ clientId: id, clientCredentialId: put.value.credentialId })
    : err({
        state: 'failed',
        code: 'vault_unavailable',
        words: 'The vault cannot seal anything now.',
        next: 'Try again.',
      });
}

/** A person at the browser. */
export interface ConsentPerson {
  readonly organizationId: string;
  readonly principalId: string;
}

/** Why a consent goes no further, with the words for the person. */
export interface ConsentFault {
  readonly code: 'ended' | 'another_person' | 'denied' | 'refused' | 'unavailable';
  readonly words: string;
}

interface OpenConsent {
  readonly consent: SellerConsent;
  readonly authorization: SellerAuthorization;
  readonly connection: Connection;
}

const ended: ConsentFault = {
  code: 'ended',
  words:
    'This sign-in was used, took longer than ten minutes, or was begun anew. Begin again with: switchyard sellers add',
};

/** What a person is shown before they go to the authorization server. */
export interface ConsentQuestion {
  readonly seller: string;
  /** The host that they are sent to. */
  readonly host: string;
  readonly scopes: readonly string[];
  readonly address: URL;
}

export async function consentQuestion(
  deps: SignInDeps,
  person: ConsentPerson,
  connectionId: string,
  state: string,
): Promise<Result<ConsentQuestion, ConsentFault>> {
  const open = await openConsent(deps, person, connectionId, state);
  if (!open.ok) return open;
  const { connection, authorization, consent } = open.value;
  const { server, resource, scopes } = authorization;
  const verifier = await verifierOf(deps, person, connection, state);
  if (!verifier.ok) return verifier;
  const challenge = createHash('sha256').update(verifier.value).digest('base64url');
  const redirectUri = redirectUriOf(deps.url(), connection.id);
  const client = { server, id: consent.clientId };
  const address = await deps.requests.authorizeUrl(
    client,
    challenge,
    { state, redirectUri },
    { resource, scopes },
  );
  return ok({ seller: connection.slug, host: address.host, scopes, address });
}

/**
 * Ends a consent with the query that the browser brought: once, by the person who began it, at the issuer that it was
 * begun for. Then the tokens are stored.
 */
export async function finishConsent(
  deps: SignInDeps,
  person: ConsentPerson,
  connectionId: string,
  query: URLSearchParams,
): Promise<
  Result<{ readonly connection: Connection; readonly authorization: SellerAuthorization }, ConsentFault>
> {
  const scope: TenantScope = { organizationId: person.organizationId };
  const state = query.get('state') ?? '';
  const open = await openConsent(deps, person, connectionId, state);
  if (!open.ok) return open;
  const { connection, authorization } = open.value;
  if (!(await deps.authorizations.useConsent(scope, hashOf(state), deps.clock.now()))) return err(ended);
  const verifier = await verifierOf(deps, person, connection, state);
  if (!verifier.ok) return verifier;
  const redirectUri = redirectUriOf(deps.url(), connection.id);
  // Of our own configured address and the query alone: a header cannot change it.
  const returned = new URL(`${redirectUri}?${query.toString()}`);
  const lease = await deps.authorizations.take(scope, authorization, { by: deps.processId, ms: 15_000 });
  if (lease === undefined) return err(ended);
  const got = await obtainToken(deps, scope, {
    lease,
    connection,
    ask: (client: OAuthClient, wanted) =>
      deps.requests.byCode(client, returned, { state, verifier: verifier.value, redirectUri }, wanted),
  });
  if (got.ok) {
    // Sessions that were opened with another login are not used for this one.
    if (got.value.forClient !== undefined) await deps.transport.forget(connection.id);
    return ok({ connection, authorization: got.value });
  }
  await noteRefusal(deps, scope, { lease, connection, refusal: got.error });
  return err(faultOf(got.error));
}

function faultOf({ kind, code, words }: TokenRefusal): ConsentFault {
  if (code === 'access_denied')
    return { code: 'denied', words: 'You have not allowed it there. Nothing was stored.' };
  return { code: kind === 'passing' || kind === 'lost' ? 'unavailable' : 'refused', words };
}

async function openConsent(
  { authorizations, connections, clock }: SignInDeps,
  { organizationId, principalId }: ConsentPerson,
  connectionId: string,
  state: string,
): Promise<Result<OpenConsent, ConsentFault>> {
  const scope = { organizationId };
  const consent = await authorizations.findConsent(scope, hashOf(state), clock.now());
  if (consent?.connectionId !== connectionId) return err(ended);
  if (consent.startedBy !== principalId)
    return err({
      code: 'another_person',
      words: 'Another person began this sign-in, and only that person may finish it.',
    });
  const [authorization, connection] = await Promise.all([
    authorizations.find(scope, connectionId, consent.forClient),
    connections.byId(scope, connectionId),
  ]);
  const isSame =
    authorization?.grant === 'authorization_code' &&
    authorization.pin.issuer === consent.issuer &&
    authorization.clientId === consent.clientId;
  return isSame && connection !== undefined ? ok({ consent, authorization, connection }) : err(ended);
}

/** The verifier of PKCE: made of the state with the connection's own sealed key, so it is stored nowhere. */
async function verifierOf(
  { vault }: SignInDeps,
  { organizationId, principalId }: ConsentPerson,
  { id: connectionId, slug: seller, keyCredentialId }: Connection,
  state: string,
): Promise<Result<string, ConsentFault>> {
  const unavailable = err<ConsentFault>({
    code: 'unavailable',
    words: 'The vault does not answer. Try again.',
  });
  if (keyCredentialId === undefined) return unavailable;
  const made = await vault.withSecret(
    { organizationId },
    { credentialId: keyCredentialId, kind: 'idempotency', connectionId, seller },
    { purpose: 'oauth.consent', actor: principalId },
    (secret) =>
      Promise.resolve(
        secret.use((key) => createHmac('sha256', key).update(`pkce verifier ${state}`).digest('base64url')),
      ),
  );
  return made.ok ? ok(made.value) : unavailable;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
