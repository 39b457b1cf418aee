import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import { readAuthorizationServer, type SellerAuthorization } from '@switchyard/sellers';
import {
  alarmRepository,
  connectionDirectory,
  credentialStore,
  openStore,
  sellerAuthorizations,
  type Store,
} from '@switchyard/store';
import {
  browserClient,
  createConnection,
  createScope,
  memoryKeyManagement,
  openTestStore,
  sellerScope,
  startAuthorizationServer,
} from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { systemClock } from '../../platform/clock.js';
import { obtainToken } from './obtain-token.js';
import { renewToken, replaceToken, type RenewDeps } from './renew-token.js';
import { tokenRequests } from './token-requests.js';

/** Renewals of one token by two processes, at a real authorization server that rotates its refresh tokens. */
const { store, database, stop } = await openTestStore(openStore);
const second = openStore(database.appUrl);
const egress = createEgress({ allowLoopback: true });
const kms = memoryKeyManagement();
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await egress.close();
  await second.close();
  await stop();
});

const agentUrl = 'http://127.0.0.1:9/mcp';
const redirectUri = 'http://127.0.0.1:9/back';

/** What one process renews with. */
function processOn(own: Store): RenewDeps & { readonly vault: ReturnType<typeof createVault> } {
  return {
    authorizations: sellerAuthorizations(own),
    vault: createVault({
      kms,
      store: credentialStore(own),
      clock: systemClock,
      newId: randomUUID,
      randomBytes,
    }),
    requests: tokenRequests(egress),
    assertClient: () => Promise.reject(new Error('These clients have secrets.')),
    url: () => 'http://127.0.0.1:9',
    connections: connectionDirectory(own),
    alarms: alarmRepository(own, systemClock),
    transport: { forget: () => Promise.resolve() },
    processId: randomUUID(),
    random: () => 0,
    isStopped: () => Promise.resolve(false),
    clock: systemClock,
    onUnexpected: (error) => {
      throw error;
    },
  };
}

/** A seller at which a person has signed in, and two processes that use its token. */
async function signedIn() {
  const server = await startAuthorizationServer({ resource: agentUrl, redirectUris: [redirectUri] });
  closers.push(() => server.close());
  const scope = await createScope(store);
  const connection = await createConnection(store, scope.organizationId, { agentUrl });
  const [one, other] = [processOn(store), processOn(second)];
  const of = { connectionId: connection.id, seller: connection.slug, destination: server.issuer };
  const secret = new Secret(Buffer.from(browserClient.secret));
  const { credentialId } = must(await one.vault.put(scope, { kind: 'oauth_client', secret, ...of }));
  const pending: SellerAuthorization = {
    connectionId: connection.id,
    grant: 'authorization_code',
    state: 'pending',
    code: 'pending',
    words: 'It waits.',
    pin: { issuer: server.issuer, why: 'person', by: randomUUID(), at: 0 },
    server: must(await readAuthorizationServer(egress, server.issuer, 'authorization_code')),
    resource: agentUrl,
    scopes: [sellerScope],
    clientId: browserClient.id,
    clientCredentialId: credentialId,
    failures: 0,
    version: 1,
  };
  await one.authorizations.save(scope, pending, systemClock.now());
  const lease = await one.authorizations.take(scope, pending, { by: 'a person', ms: 60_000 });
  if (lease === undefined) throw new Error('Nothing to lease.');
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const state = 'a state';
  const granted = await obtainToken(one, scope, {
    lease,
    connection,
    ask: async (client, wanted) => {
      const address = await one.requests.authorizeUrl(client, challenge, { state, redirectUri }, wanted);
      const back = await server.signIn(address.href);
      return one.requests.byCode(client, back, { state, verifier, redirectUri }, wanted);
    },
  });
  must(granted);
  const authorization = () => one.authorizations.find(scope, connection.id);
  /** The token that calls use now. */
  const token = async () => {
    const { accessCredentialId = '' } = (await authorization()) ?? {};
    const asked = {
      credentialId: accessCredentialId,
      kind: 'oauth_access' as const,
      ...of,
      destination: new URL(agentUrl).origin,
    };
    const use = { purpose: 'call', actor: 'spec' };
    return must(
      await one.vault.withSecret(scope, asked, use, (held) => Promise.resolve(held.useText((text) => text))),
    );
  };
  return { server, scope, connection, one, other, authorization, token };
}

describe('the renewal of a token', () => {
  it('is one request for any number of callers in two processes, and the grant lives on', async () => {
    const { server, scope, connection, one, other, authorization, token } = await signedIn();
    expect((await authorization())?.state).toBe('authorised');
    const before = await token();
    for (const round of [1, 2]) {
      const callers = Array.from({ length: 20 }, (_, at) =>
        replaceToken(at % 2 === 0 ? one : other, scope, { connectionId: connection.id }, round),
      );
      expect(new Set(await Promise.all(callers))).toEqual(new Set([true]));
      expect(server.tokenRequests).toEqual([
        'authorization_code',
        ...Array<string>(round).fill('refresh_token'),
      ]);
      expect(await server.find(await token())).toMatchObject({ clientId: browserClient.id });
    }
    expect(await token()).not.toBe(before);
  });

  it('sends nothing while the key service does not answer, so that no token is lost', async () => {
    const { server, scope, one, authorization } = await signedIn();
    const seen = await authorization();
    kms.failWith('unavailable');
    const failed = seen && (await renewToken(one, scope, seen));
    kms.failWith(undefined);
    expect(failed).toMatchObject({ ok: false, error: { kind: 'passing', code: 'vault_unavailable' } });
    expect(server.tokenRequests).toEqual(['authorization_code']);
    const after = await authorization();
    expect(after).toMatchObject({ state: 'expiring', failures: 1 });
    expect(after && (await renewToken(one, scope, after))).toMatchObject({ ok: true });
  });

  it('keeps the token through an outage of the authorization server, and ends the use of the seller if the grant has ended', async () => {
    const { server, scope, connection, one, authorization, token } = await signedIn();
    const renewed = async () => {
      const seen = await authorization();
      return seen && (await renewToken(one, scope, seen));
    };
    server.failWith = 503;
    expect(await renewed()).toMatchObject({ ok: false, error: { kind: 'passing' } });
    server.failWith = undefined;
    expect(await authorization()).toMatchObject({ state: 'expiring' });
    expect(await server.find(await token())).toBeDefined();
    expect(await renewed()).toMatchObject({ ok: true });
    server.forgetGrants();
    expect(await renewed()).toMatchObject({ ok: false, error: { kind: 'grant', code: 'invalid_grant' } });
    expect(await authorization()).toMatchObject({ state: 'needs_person' });
    expect(await one.connections.byId(scope, connection.id)).toMatchObject({ state: 'failed' });
    expect(await replaceToken(one, scope, { connectionId: connection.id })).toBe(false);
  });
});
