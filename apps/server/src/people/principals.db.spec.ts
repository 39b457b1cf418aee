import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  grantDirectory,
  identityDirectory,
  openStore,
  principalDirectory,
  listReader,
  setUpLists,
  signerDirectory,
  controlRequests,
  addressDirectory,
} from '@switchyard/store';
import { admitToken, hashPair, hashToken, permissionTable } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { identityRoutes } from './identities.routes.js';
import { principalRoutes } from './principals.routes.js';
import { signerRoutes, type SignerDeps } from './signers.routes.js';
import { tokenRoutes } from './tokens.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

/** An organization with one principal that may do everything, and the routes of principals on the real repositories. */
async function world(more: Partial<SignerDeps> = {}) {
  const { id } = await createOrganization(store);
  const caller = principalCaller(await createPrincipal(store, id, { permissions: permissionTable }));
  const directory = principalDirectory(store);
  const identities = identityDirectory(store);
  const signers = signerDirectory(store);
  const deps = {
    principals: directory,
    grants: grantDirectory(store),
    controls: controlRequests(store),
    identities,
    addresses: addressDirectory(store),
    signers,
    setUp: setUpLists(store),
    lists: listReader(store),
    egress: { checkUrl: () => Promise.resolve(ok(undefined)) },
    clock,
    newId: () => randomUUID(),
    randomBytes,
    baseUrl: () => 'http://127.0.0.1',
    local: { scope: { organizationId: id }, principalName: caller.name },
    sellersReady: () => Promise.resolve(),
    ...more,
  };
  const routes = [...principalRoutes, ...identityRoutes, ...signerRoutes, ...tokenRoutes];
  const call = callRoutes<typeof deps>(routes, deps);
  const names = async (by: PrincipalCaller = caller) =>
    (made(await call(by, 'list_principals'))['principals'] as JsonObject[]).map(({ name }) => name);
  const admitted = async (token: unknown) =>
    admitToken(await directory.findByTokenHash(hashToken(text(token))), clock.now());
  return { call, names, caller, identities, directory, signers, admitted };
}

const draft = (more: JsonObject = {}) => ({
  body: { name: `agency ${randomUUID()}`, kind: 'buyer', ...more },
});

const made = (result: Result<JsonObject, unknown>): JsonObject => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const of = (name: unknown, body?: JsonObject) => ({ params: { name: text(name) }, body });
const byId = (id: unknown) => ({ params: { id: text(id) } });

describe('a principal', () => {
  it('is created with a token that is shown once, stored as a hash, and expires', async () => {
    const { call, caller, admitted } = await world();
    const { token, principal_id: id } = made(await call(caller, 'add_principal', draft({ ttl_seconds: 60 })));
    expect(await admitted(token)).toMatchObject({ ok: true, value: { id } });
    expect(JSON.stringify(await call(caller, 'list_principals'))).not.toContain(token);
    clock.advance(60_000);
    expect(await admitted(token)).toMatchObject({ ok: false, error: 'expired' });
  });

  it.each(["Zoë O'Neil", 'Müller-Łódź', '株式会社 ノヴァ', 'x'.repeat(100)])(
    'may be called %s',
    async (name) => {
      const { call, caller, names } = await world();
      made(await call(caller, 'add_principal', draft({ name })));
      expect(await names()).toContain(name);
      made(await call(caller, 'revoke_principal', of(name)));
      expect((await call(caller, 'add_token', of(name, {}))).ok).toBe(false);
    },
  );

  it.each(['', ' Zoë', 'a:b', 'a\nb', 'a\u202eb', 'a\u0000b', '<b>', 'x'.repeat(101)])(
    'may not be called %j',
    async (name) => {
      const { call, caller } = await world();
      await expect(call(caller, 'add_principal', draft({ name }))).rejects.toThrow('1 to 100 letters');
    },
  );

  it('may hold only tokens with no more than its own permissions', async () => {
    const { call, caller, admitted } = await world();
    const { name } = made(await call(caller, 'add_principal', draft()));
    const less = made(await call(caller, 'add_token', of(name, { permissions: { products: ['read'] } })));
    expect(await admitted(less['token'])).toMatchObject({
      ok: true,
      value: { permissions: { products: ['read'] } },
    });
    const more = await call(caller, 'add_token', of(name, { permissions: { ledger: ['approve'] } }));
    expect(more).toMatchObject({
      error: { message: `${text(name)} does not have ledger.approve.`, field: 'permissions' },
    });
  });

  it('rotates: the old token is valid exactly for the overlap, and the new one has no more permissions', async () => {
    const { call, caller, admitted } = await world();
    const { name, token: first } = made(await call(caller, 'add_principal', draft()));
    const next = made(await call(caller, 'rotate_token', of(name, { overlap_seconds: 30 })));
    expect((await admitted(first)).ok).toBe(true);
    expect((await admitted(next['token'])).ok).toBe(true);
    expect(await call(caller, 'rotate_token', of(name, { overlap_seconds: 0 }))).toMatchObject({
      error: { code: 'CONFLICT', field: 'token_id', suggestion: expect.stringContaining('/v1/principals') },
    });
    clock.advance(30_000);
    expect((await admitted(first)).ok).toBe(false);
    expect((await admitted(next['token'])).ok).toBe(true);
  });

  it('that is a person is listed with its address and its strongest way to sign in', async () => {
    const { call, caller } = await world();
    const person = made(await call(caller, 'add_principal', draft({ kind: 'person' })));
    const id = text(person['principal_id']);
    const shown = async () => {
      const query = { principal: id };
      const [row] = made(await call(caller, 'list_principals', { query }))['principals'] as JsonObject[];
      return [row?.['email'], row?.['sign_in']];
    };
    const seen = [await shown()];
    for (const statement of [
      `insert into person_password (organization_id, principal_id, email, hash, changed_at)
       values ($1, $2, 'tina@nova.example', 'x', now())`,
      `insert into person_factor (organization_id, principal_id, totp_credential_id) values ($1, $2, gen_random_uuid())`,
      `insert into person_passkey (organization_id, principal_id, id, credential_id, public_key, counter, name, created_at)
       values ($1, $2, gen_random_uuid(), gen_random_uuid()::text, '', 0, 'laptop', now())`,
    ]) {
      await store.inTenant(caller, (client) => client.query(statement, [caller.organizationId, id]));
      seen.push(await shown());
    }
    const email = 'tina@nova.example';
    expect(seen).toEqual([
      [undefined, 'link'],
      [email, 'password'],
      [email, 'code'],
      [email, 'passkey'],
    ]);
    const { name } = made(await call(caller, 'add_principal', draft()));
    const [agent] = made(await call(caller, 'list_principals', { query: { principal: text(name) } }))[
      'principals'
    ] as JsonObject[];
    expect(agent).not.toHaveProperty('sign_in');
  });

  it('is found by its own name and id only', async () => {
    const [{ call, caller }, other] = [await world(), await world()];
    const { name, principal_id: id } = made(await call(caller, 'add_principal', draft()));
    const found = async (principal: unknown, by = caller) =>
      (
        made(await call(by, 'list_principals', { query: { principal: text(principal) } }))[
          'principals'
        ] as JsonObject[]
      ).map((row) => row['name']);
    expect(await found(name)).toEqual([name]);
    expect(await found(id)).toEqual([name]);
    expect(await found('agency')).toEqual([]);
    expect(await found(id, other.caller)).toEqual([]);
  });

  it('is revoked entirely or token by token, from the next request on', async () => {
    const { call, caller, admitted } = await world();
    const { name, token, token_id: tokenId } = made(await call(caller, 'add_principal', draft()));
    const second = made(await call(caller, 'add_token', of(name, {})));
    made(await call(caller, 'revoke_token', byId(tokenId)));
    expect(await admitted(token)).toMatchObject({ error: 'revoked' });
    expect((await admitted(second['token'])).ok).toBe(true);
    made(await call(caller, 'revoke_principal', of(name)));
    expect(await admitted(second['token'])).toMatchObject({ error: 'disabled' });
    expect(made(await call(caller, 'revoke_principal', of(name)))).toMatchObject({ revoked: true });
    expect((await call(caller, 'add_token', of(name, {}))).ok).toBe(false);
    expect((await call(caller, 'revoke_token', byId('no id'))).ok).toBe(false);
    expect(await call(caller, 'revoke_principal', of(caller.name))).toMatchObject({
      error: { code: 'CONFLICT', field: 'name' },
    });
  });

  it('that was revoked is switched on again with its roles, and without its old tokens, keys and programs', async () => {
    const { call, caller, admitted } = await world();
    const draftOf = {
      name: `agency ${randomUUID()}`,
      kind: 'buyer',
      jwks_uri: 'https://a.example/jwks.json',
    };
    const { name, token, principal_id: id } = made(await call(caller, 'add_principal', { body: draftOf }));
    const account = `${caller.organizationId}:${text(id)}`;
    await store.pool.query(
      `insert into oauth_artifact (model, id, payload, account, created_at, expires_at)
       values ('Grant', $1, '{}', $2, now(), now() + interval '1 day')`,
      [randomUUID(), `${account}:${randomUUID()}`],
    );
    const restore = (by = caller) => call(by, 'restore_principal', of(name));
    expect(await restore()).toMatchObject({ error: { code: 'CONFLICT' } });
    made(await call(caller, 'revoke_principal', of(name)));
    const weak = { ...caller, permissions: { principals: ['read', 'write', 'delete'] } };
    expect((await restore(weak)).ok).toBe(false);
    expect(await admitted(token)).toMatchObject({ error: 'disabled' });
    expect(made(await restore())).toEqual({ principal_id: id, restored: true });
    expect(await admitted(token)).toMatchObject({ error: 'revoked' });
    expect(made(await call(caller, 'list_signers'))['signers']).toEqual([]);
    const { rowCount } = await store.pool.query("select from oauth_artifact where account like $1 || '%'", [
      account,
    ]);
    expect(rowCount).toBe(0);
    const again = made(await call(caller, 'add_token', of(name, {})));
    expect(await admitted(again['token'])).toMatchObject({ ok: true, value: { id } });
    const [one, other] = [await world(), await world()];
    const theirs = made(await one.call(one.caller, 'add_principal', draft()));
    made(await one.call(one.caller, 'revoke_principal', of(theirs['name'])));
    expect(await other.call(other.caller, 'restore_principal', of(theirs['name']))).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
  });

  it('never gets permissions that the granting caller does not hold', async () => {
    const { call, caller } = await world();
    const { name } = made(await call(caller, 'add_principal', draft()));
    const weak = { ...caller, permissions: { principals: ['read', 'write', 'delete'] } };
    expect((await call(weak, 'add_principal', draft())).ok).toBe(false);
    expect((await call(weak, 'add_token', of(name, {}))).ok).toBe(false);
    expect((await call(weak, 'rotate_token', of(name, { overlap_seconds: 0 }))).ok).toBe(false);
    const identity = { kind: 'jwt', issuer: 'https://id.example', subject: randomUUID() };
    expect((await call(weak, 'add_identity', of(name, identity))).ok).toBe(false);
    const agent = { agent_url: 'https://agency.example/mcp' };
    expect((await call(weak, 'add_signer', of(name, agent))).ok).toBe(false);
  });

  it('of another organization is not found, and neither are its tokens and identities', async () => {
    const [one, other] = [await world(), await world()];
    const { name, token, token_id: id } = made(await one.call(one.caller, 'add_principal', draft()));
    expect(await other.call(other.caller, 'revoke_principal', of(name))).toEqual(
      await other.call(other.caller, 'revoke_principal', of('nobody')),
    );
    expect((await other.call(other.caller, 'revoke_token', byId(id))).ok).toBe(false);
    expect((await one.admitted(token)).ok).toBe(true);
    expect(await other.names()).not.toContain(name);
  });

  it('with a name and a password is found by the pair, and the password alone is no bearer token', async () => {
    const { call, caller, directory, admitted } = await world();
    const { username, password } = made(await call(caller, 'add_principal', draft({ scheme: 'basic' })));
    const found = await directory.findByTokenHash(hashPair(text(username), text(password)));
    expect(found?.token.scheme).toBe('basic');
    expect(await admitted(password)).toMatchObject({ error: 'unknown' });
  });

  it('is found by an external identity, which belongs to one principal of its organization and cannot be taken by another’s', async () => {
    const [one, other] = [await world(), await world()];
    const { name } = made(await one.call(one.caller, 'add_principal', draft({ scheme: 'none' })));
    const identity = { kind: 'certificate', subject: `dns:${randomUUID()}.example` };
    const { identity_id: id } = made(await one.call(one.caller, 'add_identity', of(name, identity)));
    const found = () => one.identities.find('certificate', '', [identity.subject, 'dns:else.example']);
    expect((await found()).map(({ principal }) => principal.name)).toEqual([name]);
    const theirs = made(await other.call(other.caller, 'add_principal', draft()));
    const duplicate = made(await one.call(one.caller, 'add_principal', draft()));
    expect((await one.call(one.caller, 'add_identity', of(duplicate['name'], identity))).ok).toBe(false);
    expect((await other.call(other.caller, 'add_identity', of(theirs['name'], identity))).ok).toBe(true);
    expect((await found()).map(({ isProved }) => isProved)).toEqual([false, false]);
    expect((await other.call(other.caller, 'remove_identity', byId(id))).ok).toBe(false);
    made(await one.call(one.caller, 'remove_identity', byId(id)));
    expect((await found()).map(({ principal }) => principal.name)).toEqual([theirs['name']]);
  });

  it('is created with an external identity in one commit: if the identity is taken, no principal is created', async () => {
    const { call, caller, names, identities } = await world();
    const identity = { kind: 'jwt', issuer: 'https://id.example', subject: randomUUID() };
    const first = made(await call(caller, 'add_principal', draft({ scheme: 'none', identity })));
    expect(first['identities']).toMatchObject([{ kind: 'jwt', subject: identity.subject }]);
    const found = await identities.find('jwt', identity.issuer, [identity.subject]);
    expect(found.map(({ principal }) => principal.name)).toEqual([first['name']]);
    const second = draft({ scheme: 'none', identity });
    expect(await call(caller, 'add_principal', second)).toMatchObject({
      error: { code: 'CONFLICT', field: 'identity.subject' },
    });
    expect(await names()).not.toContain(second.body.name);
    const subject = randomUUID();
    const sameName = draft({ name: first['name'] ?? '', identity: { ...identity, subject } });
    expect(await call(caller, 'add_principal', sameName)).toMatchObject({
      error: { code: 'CONFLICT', field: 'name' },
    });
    expect(await identities.find('jwt', identity.issuer, [subject])).toEqual([]);
  });
});

describe('a signer', () => {
  const testKey = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: 'gWUqzATUcUco5Q8fZZXn8aWwb7DQbYGBiqUzLiSDDJo',
    kid: 'anything',
    ads_use: 'request-signing',
  };
  const agentUrl = 'https://agency.example/mcp';

  it.each([
    ['refused with a published test key, whatever it is called', false],
    ['taken with one in the local profile', true],
  ])('is %s', async (_what, trustsTestKeys) => {
    const { call, caller } = await world({ trustsTestKeys });
    const { name } = made(await call(caller, 'add_principal', draft()));
    const row = { agent_url: agentUrl, jwks: { keys: [testKey] } };
    const added = await call(caller, 'add_signer', of(name, row));
    expect(added.ok ? added.value : added.error).toMatchObject(
      trustsTestKeys ? { kids: ['anything'] } : { code: 'INVALID_REQUEST', field: 'jwks' },
    );
    const listed = made(await call(caller, 'list_signers'));
    expect(listed['signers']).toHaveLength(trustsTestKeys ? 1 : 0);
  });

  it('is refused with a private key, and removed once by its own organization alone', async () => {
    const [one, other] = [await world(), await world()];
    const { name } = made(await one.call(one.caller, 'add_principal', draft()));
    const row = { agent_url: agentUrl, jwks: { keys: [{ ...testKey, x: 'another', d: 'private' }] } };
    expect(await one.call(one.caller, 'add_signer', of(name, row))).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'jwks', message: expect.stringContaining('public keys') },
    });
    const { signer_id: id } = made(
      await one.call(one.caller, 'add_signer', of(name, { agent_url: agentUrl })),
    );
    expect((await other.call(other.caller, 'remove_signer', byId(id))).ok).toBe(false);
    made(await one.call(one.caller, 'remove_signer', byId(id)));
    expect((await one.call(one.caller, 'remove_signer', byId(id))).ok).toBe(false);
  });

  it('is registered without keys if its agent publishes them at an allowed address', async () => {
    const requested: string[] = [];
    const refused = {
      code: 'blocked_address',
      message: 'It may not be called.',
      delivered: 'no',
    } as const;
    const { call, caller, signers } = await world({
      egress: {
        checkUrl: (url) => {
          requested.push(url);
          return Promise.resolve(url.includes('169.254') ? err(refused) : ok(undefined));
        },
      },
    });
    const { name } = made(await call(caller, 'add_principal', draft()));
    const added = made(await call(caller, 'add_signer', of(name, { agent_url: agentUrl, protocol: 'a2a' })));
    expect(added).toMatchObject({ agent_url: agentUrl, discovered_over: 'a2a' });
    expect(added).not.toHaveProperty('kids');
    expect(requested).toEqual([agentUrl]);
    const jwksUri = 'https://agency.example/jwks.json';
    await signers.storeKeySet(caller, text(added['signer_id']), { jwksUri, known: undefined });
    const listed = async () => made(await call(caller, 'list_signers'))['signers'];
    expect(await listed()).toEqual([{ ...added, jwks_uri: jwksUri }]);
    const inside = { agent_url: 'https://169.254.169.254/mcp' };
    expect(await call(caller, 'add_signer', of(name, inside))).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'agent_url' },
    });
    expect(await listed()).toHaveLength(1);
  });
});
