import {
  readProtectedResource,
  throughLogin,
  wantedCredential,
  type ClientLogin,
  type Connection,
  type ProtectedResource,
  type SellerAccounts,
} from '@switchyard/sellers';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Result, type Secret } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { httpAddress, instant, secretOf, tokenText } from '../../platform/routes/fields.js';
import { uuidText } from '../../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../../platform/routes/list-page.js';
import { routesOn } from '../../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import type { InspectDeps } from '../onboarding/inspect-seller.js';
import { endSignIn } from '../oauth/end-sign-in.js';
import { sellerSignIn } from '../oauth/seller-sign-in.js';
import type { AskedSignIn, SignInDeps } from '../oauth/sign-in-deps.js';
import { provesCredential } from '../onboarding/proves-credential.js';
import { findSeller, mayManage, noClient, type FindSellerDeps } from './find-seller.js';

export interface ClientLoginsDeps extends FindSellerDeps, InspectDeps {
  readonly sellerAccounts: Pick<SellerAccounts, 'logIn' | 'logOut' | 'logins' | 'isActiveClient'>;
  readonly vault: Pick<Vault, 'put' | 'revoke'>;
  readonly signIns: SignInDeps;
}

const login = z.strictObject({
  seller: z.string(),
  client_id: z.string(),
  credential_id: z
    .string()
    .exactOptional()
    .describe('Absent: the client uses the login of the seller, or waits for a consent.'),
  authorize_url: z
    .url()
    .exactOptional()
    .describe('The login is there once you have consented at this address, within ten minutes.'),
});

const example = {
  seller: 'acme',
  client_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  credential_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
} as const;

const route = routesOn<ClientLoginsDeps>();

/** Logins of clients at a seller, beside the one that all others use. No answer holds a secret. */
export const clientLoginRoutes = [
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/logins',
    id: 'list_client_logins',
    summary: 'The clients that have a login of their own at a seller, of those that you may see',
    needs: 'sellers.read',
    query: z.strictObject(pageQuery),
    answer: z.strictObject({
      next_cursor: nextCursor,
      logins: z.array(
        z.strictObject({
          client_id: z.string(),
          client: z.string(),
          credential_id: z.string(),
          since: instant,
        }),
      ),
    }),
    example: {
      logins: [
        {
          client_id: example.client_id,
          client: 'Nova Foods',
          credential_id: example.credential_id,
          since: '2026-11-29T12:00:00.000Z',
        },
      ],
    },
    handle: async (deps, { caller, params, query }) => {
      const found = await findSeller(deps, caller, params.slug);
      if (!found.ok) return found;
      const reach = reachOf(caller, 'sellers', 'read');
      const only = reach.kind === 'everything' ? {} : { clientIds: reach.clientIds };
      const page = await listPage(
        { id: `list_client_logins ${found.value.id}`, caller, query },
        (read) => deps.sellerAccounts.logins(scopeOf(caller), found.value.id, { ...read, ...only }),
        ({ clientId }) => [clientId],
      );
      if (!page.ok) return page;
      return ok({
        logins: page.value.rows.map(({ clientId, client, credentialId, since }) => ({
          client_id: clientId,
          client,
          credential_id: credentialId,
          since: isoOf(since),
        })),
        ...page.value.next,
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/logins',
    id: 'set_client_login',
    summary:
      'Give a client a login of its own at a seller, once the seller takes it: its reads and new buys use that one',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      client: z.uuid().describe('Id of the client.'),
      secret: tokenText
        .exactOptional()
        .describe('The token or pair, or with oauth_client_id the secret of that client.'),
      scheme: z
        .enum(['bearer', 'basic'])
        .exactOptional()
        .describe('bearer unless set; basic: `user:password`.'),
      consents: z.literal(true).exactOptional().describe('You sign in at its authorization server.'),
      oauth_client_id: z
        .string()
        .min(1)
        .max(2_000)
        .exactOptional()
        .describe('Our client at its authorization server that is for this client alone.'),
      issuer: httpAddress.exactOptional().describe('The issuer that you trust with it.'),
    }),
    secretsTaken: ['secret'],
    answer: login,
    example,
    handle: (deps, { caller, params, body }) => {
      const clientId = uuidText.parse(body.client);
      const secret = body.secret === undefined ? undefined : secretOf(body.secret);
      if (body.consents === true || body.oauth_client_id !== undefined)
        return signInFor(deps, caller, params.slug, {
          clientId,
          asked: defined({
            consents: body.consents,
            clientId: body.oauth_client_id,
            clientSecret: secret,
            issuer: body.issuer,
          }),
        });
      if (secret === undefined) return Promise.resolve(err(noSecret));
      return setLogin(deps, caller, params.slug, { clientId, kind: body.scheme ?? 'bearer', secret });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/logins/end',
    id: 'end_client_login',
    summary:
      'Take the login at a seller from a client and revoke its secret; its buys with it cannot be changed any more',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({ client: z.uuid().describe('Id of the client.') }),
    answer: login,
    example: { seller: 'acme', client_id: example.client_id },
    handle: (deps, { caller, params, body }) =>
      endLogin(deps, caller, params.slug, uuidText.parse(body.client)),
  }),
];

const noSecret: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'A login needs a secret, consents, or oauth_client_id.',
  field: 'secret',
};

/** By OAuth: with our client's own secret at once, or once the person has consented in a browser. */
async function signInFor(
  deps: ClientLoginsDeps,
  caller: PrincipalCaller,
  slug: string,
  { clientId, asked }: { readonly clientId: string; readonly asked: AskedSignIn },
): Promise<Result<z.output<typeof login>, AdminFailure>> {
  const found = await findSeller(deps, caller, slug);
  if (!found.ok) return found;
  const { value: connection } = found;
  if (!mayManage(caller, clientId) || !(await deps.sellerAccounts.isActiveClient(scopeOf(caller), clientId)))
    return err(noClient);
  let authorizeUrl: string | undefined;
  const signIn = sellerSignIn(deps.signIns, {
    scope: scopeOf(caller),
    connection: () => connection,
    asked,
    forClient: clientId,
    principalId: caller.principalId,
    onConsent: (url) => {
      authorizeUrl = url;
    },
  });
  const resource = await publishedResource(deps, connection);
  if (!resource.ok) return resource;
  const result = await signIn.run(resource.value.resource, resource.value.scopes);
  const answer = { seller: slug, client_id: clientId };
  if (authorizeUrl !== undefined) return ok({ ...answer, authorize_url: authorizeUrl });
  const made = await deps.signIns.authorizations.find(scopeOf(caller), connection.id, clientId);
  if (result.state !== 'passed' || made?.accessCredentialId === undefined)
    return err({
      code: 'CONFLICT',
      message: result.words,
      ...(result.next !== undefined && { suggestion: result.next }),
    });
  await deps.transport.forget(connection.id);
  return ok({ ...answer, credential_id: made.accessCredentialId });
}

/** Where the seller says that its tokens come from. */
async function publishedResource(
  { signIns }: ClientLoginsDeps,
  connection: Connection,
): Promise<
  Result<{ readonly resource: ProtectedResource; readonly scopes: readonly string[] }, AdminFailure>
> {
  const { egress } = signIns;
  const { named, scopes = [] } = await wantedCredential({ egress, connection: () => connection });
  const read = await readProtectedResource(egress, connection.agentUrl, named);
  if (!read.ok) return err({ code: 'CONFLICT', message: read.error.words });
  return read.value === undefined
    ? err({
        code: 'CONFLICT',
        message: `The seller ${connection.slug} publishes no metadata of a sign-in by OAuth.`,
        suggestion: 'Give the client a login with a token: its secret comes on standard input.',
      })
    : ok({ resource: read.value, scopes });
}

interface NewLogin {
  readonly clientId: string;
  readonly kind: 'bearer' | 'basic';
  readonly secret: Secret;
}

async function setLogin(
  deps: ClientLoginsDeps,
  caller: PrincipalCaller,
  slug: string,
  { clientId, kind, secret }: NewLogin,
): Promise<Result<z.output<typeof login>, AdminFailure>> {
  const found = await findSeller(deps, caller, slug);
  if (!found.ok) return found;
  if (!mayManage(caller, clientId)) return err(noClient);
  const { vault, sellerAccounts, transport, clock } = deps;
  const scope = scopeOf(caller);
  const { id: connectionId, agentUrl } = found.value;
  const destination = destinationOf(agentUrl);
  const put = await vault.put(scope, { kind, secret, connectionId, seller: slug, clientId, destination });
  if (!put.ok) return err(unavailable);
  const { credentialId } = put.value;
  const fault = await refusalOf(deps, caller, found.value, { clientId, credentialId });
  if (fault !== undefined) {
    await vault.revoke(scope, credentialId);
    return err(fault);
  }
  const stored = { connectionId, clientId, credentialId, since: clock.now() };
  const done = await sellerAccounts.logIn(scope, stored, caller.principalId);
  if (done === 'no_client') {
    await vault.revoke(scope, credentialId);
    return err(noClient);
  }
  // One that cannot be revoked now stays in the list of credentials, and no call finds it.
  if (done.before !== undefined) await vault.revoke(scope, done.before);
  // A login by OAuth that it replaces is not renewed any more.
  await endSignIn(deps.signIns, scope, found.value, clientId);
  await transport.forget(connectionId);
  return ok({ seller: slug, client_id: clientId, credential_id: credentialId });
}

/** Asks the seller whether it takes the login; undefined if it does, or has no task that could tell. */
async function refusalOf(
  deps: ClientLoginsDeps,
  caller: PrincipalCaller,
  connection: Connection,
  own: ClientLogin,
): Promise<AdminFailure | undefined> {
  const at = throughLogin(connection, own);
  const leased = await deps.lease(scopeOf(caller), [at], { operationId: connection.id, purpose: 'probe' });
  const credential = leased.ok ? leased.value.get(connection.id)?.credential : undefined;
  if (credential === undefined) return unavailable;
  const tried = await provesCredential(deps, at, credential).finally(() => credential.secret.wipe());
  if (tried.kind === 'refused')
    return {
      code: 'CONFLICT',
      message: `The seller ${connection.slug} does not accept this login (401). Nothing was changed.`,
      field: 'secret',
    };
  if (tried.kind === 'unanswered')
    return {
      code: 'UNAVAILABLE',
      message: `${tried.reason} Nothing was changed.`,
      suggestion: 'Try again later.',
    };
  return undefined;
}

async function endLogin(
  deps: ClientLoginsDeps,
  caller: PrincipalCaller,
  slug: string,
  clientId: string,
): Promise<Result<z.output<typeof login>, AdminFailure>> {
  const found = await findSeller(deps, caller, slug);
  if (!found.ok) return found;
  if (!mayManage(caller, clientId)) return err(noClient);
  const scope = scopeOf(caller);
  await endSignIn(deps.signIns, scope, found.value, clientId);
  const before = await deps.sellerAccounts.logOut(scope, { connectionId: found.value.id, clientId });
  if (before === undefined)
    return err({
      code: 'CONFLICT',
      message: `This client has no login of its own at ${slug}.`,
      field: 'client',
    });
  await deps.vault.revoke(scope, before);
  await deps.transport.forget(found.value.id);
  return ok({ seller: slug, client_id: clientId });
}

const unavailable: AdminFailure = { code: 'UNAVAILABLE', message: 'The vault cannot be used at the moment.' };
