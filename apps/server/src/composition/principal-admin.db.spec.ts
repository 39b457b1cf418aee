import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { defaultRotationTimes } from '@switchyard/signing';
import { identityDirectory, openStore, principalDirectory, signerDirectory } from '@switchyard/store';
import { admitToken, hashPair, hashToken, permissionTable } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import { principalCaller } from '../tasks/caller/principal-caller.js';
import type { PrincipalDraft } from '../tasks/ports/principals.js';
import { faultOf, specDoors } from '../http/testkit/doors.js';
import { createIdentityAdmin } from './keys/identity-admin.js';
import type { PlatformKeys } from './keys/platform-keys.js';
import { createPrincipalAdmin } from './principal-admin.js';

const clock = testClock();

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

async function world(permissions: object = permissionTable) {
  const { id } = await createOrganization(store);
  const caller = principalCaller(await createPrincipal(store, id, { permissions }));
  const directory = principalDirectory(store);
  const identities = identityDirectory(store);
  const admin = createPrincipalAdmin({
    principals: directory,
    identities,
    egress: { checkUrl: () => Promise.resolve(ok(undefined)) },
    clock,
    newId: () => randomUUID(),
    randomBytes,
  });
  const admitted = async (token: string | undefined) =>
    admitToken(await directory.findByTokenHash(hashToken(token ?? '')), clock.now());
  return { admin, caller, identities, directory, admitted };
}

const draft = (more: Partial<PrincipalDraft> = {}): PrincipalDraft => ({
  name: `agency ${randomUUID()}`,
  kind: 'buyer',
  transitional: false,
  legacy: false,
  scheme: 'bearer',
  ...more,
});

const made = <T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

describe('a principal', () => {
  it('is made with a token that is shown once, stored as a hash, and ends', async () => {
    const { admin, caller, admitted } = await world();
    const { token, principal_id: id } = made(await admin.add(caller, draft({ ttlSeconds: 60 })));
    expect(await admitted(token)).toMatchObject({ ok: true, value: { id } });
    expect(JSON.stringify(await admin.list(caller))).not.toContain(token);
    clock.advance(60_000);
    expect(await admitted(token)).toMatchObject({ ok: false, error: 'expired' });
  });

  it('may hold tokens that hold less than it does, and none that holds more', async () => {
    const { admin, caller, admitted } = await world();
    const { name } = made(await admin.add(caller, draft()));
    const less = made(
      await admin.addToken(caller, name, { scheme: 'bearer', permissions: { products: ['read'] } }),
    );
    expect(await admitted(less.token)).toMatchObject({
      ok: true,
      value: { permissions: { products: ['read'] } },
    });
    const more = await admin.addToken(caller, name, {
      scheme: 'bearer',
      permissions: { ledger: ['approve'] },
    });
    expect(more).toMatchObject({ ok: false });
  });

  it('rotates: the old token is good for the overlap and not a moment longer, the new one holds no more', async () => {
    const { admin, caller, admitted } = await world();
    const { name, token: first } = made(await admin.add(caller, draft()));
    const next = made(await admin.rotate(caller, name, { overlapSeconds: 30 }));
    expect((await admitted(first)).ok).toBe(true);
    expect((await admitted(next.token)).ok).toBe(true);
    expect(await admin.rotate(caller, name, { overlapSeconds: 0 })).toMatchObject({
      error: { code: 'CONFLICT', field: 'token_id', suggestion: expect.stringContaining('/v1/principals') },
    });
    clock.advance(30_000);
    expect((await admitted(first)).ok).toBe(false);
    expect((await admitted(next.token)).ok).toBe(true);
  });

  it('is revoked whole or token by token, from the next request on', async () => {
    const { admin, caller, admitted } = await world();
    const { name, token, token_id: tokenId } = made(await admin.add(caller, draft()));
    const second = made(await admin.addToken(caller, name, { scheme: 'bearer' }));
    made(await admin.revokeToken(caller, tokenId ?? ''));
    expect(await admitted(token)).toMatchObject({ error: 'revoked' });
    expect((await admitted(second.token)).ok).toBe(true);
    made(await admin.revoke(caller, name));
    expect(await admitted(second.token)).toMatchObject({ error: 'disabled' });
    expect((await admin.addToken(caller, name, { scheme: 'bearer' })).ok).toBe(false);
    expect((await admin.revokeToken(caller, 'no id')).ok).toBe(false);
    expect((await admin.revoke(caller, caller.name)).ok).toBe(false);
  });

  it('is never given, by whoever may write principals, what he does not hold', async () => {
    const strong = await world();
    const powerful = made(await strong.admin.add(strong.caller, draft()));
    const weak = { ...strong.caller, permissions: { principals: ['read', 'write', 'delete'] } };
    expect((await strong.admin.add(weak, draft())).ok).toBe(false);
    expect((await strong.admin.addToken(weak, powerful.name, { scheme: 'bearer' })).ok).toBe(false);
    expect((await strong.admin.rotate(weak, powerful.name, { overlapSeconds: 0 })).ok).toBe(false);
    const identity = { kind: 'jwt', issuer: 'https://id.example', subject: randomUUID() } as const;
    expect((await strong.admin.addIdentity(weak, powerful.name, identity)).ok).toBe(false);
  });

  it('of another organization is as if it were not there, and so are its tokens and identities', async () => {
    const [one, other] = [await world(), await world()];
    const { name, token, token_id: id } = made(await one.admin.add(one.caller, draft()));
    expect(await other.admin.revoke(other.caller, name)).toEqual(
      await other.admin.revoke(other.caller, 'nobody'),
    );
    expect((await other.admin.revokeToken(other.caller, id ?? '')).ok).toBe(false);
    expect((await one.admitted(token)).ok).toBe(true);
    expect((await other.admin.list(other.caller)).map((each) => each.name)).not.toContain(name);
  });

  it('with a name and a password is found by the pair, and the password alone is no bearer token', async () => {
    const { admin, caller, directory, admitted } = await world();
    const { username = '', password = '' } = made(await admin.add(caller, draft({ scheme: 'basic' })));
    expect((await directory.findByTokenHash(hashPair(username, password)))?.token.scheme).toBe('basic');
    expect(await admitted(password)).toMatchObject({ error: 'unknown' });
  });

  it('is known by a name that others vouch for, which stands for one principal of its organization and is not taken by another’s', async () => {
    const [one, other] = [await world(), await world()];
    const { name } = made(await one.admin.add(one.caller, draft({ scheme: 'none' })));
    const identity = { kind: 'certificate', issuer: '', subject: `dns:${randomUUID()}.example` } as const;
    const { identity_id: id } = made(await one.admin.addIdentity(one.caller, name, identity));
    const found = () => one.identities.find('certificate', '', [identity.subject, 'dns:else.example']);
    expect((await found()).map(({ principal }) => principal.name)).toEqual([name]);
    const theirs = made(await other.admin.add(other.caller, draft()));
    const twice = made(await one.admin.add(one.caller, draft()));
    expect((await one.admin.addIdentity(one.caller, twice.name, identity)).ok).toBe(false);
    expect((await other.admin.addIdentity(other.caller, theirs.name, identity)).ok).toBe(true);
    expect((await found()).map(({ isProved }) => isProved)).toEqual([false, false]);
    expect((await other.admin.removeIdentity(other.caller, id)).ok).toBe(false);
    made(await one.admin.removeIdentity(one.caller, id));
    expect((await found()).map(({ principal }) => principal.name)).toEqual([theirs.name]);
  });

  it('is made with such a name in one commit: where the name is taken there is no principal either', async () => {
    const one = await world();
    const identity = { kind: 'jwt', issuer: 'https://id.example', subject: randomUUID() } as const;
    const first = made(await one.admin.add(one.caller, draft({ scheme: 'none', identity })));
    expect(first.identities).toMatchObject([{ kind: 'jwt', subject: identity.subject }]);
    const found = await one.identities.find('jwt', identity.issuer, [identity.subject]);
    expect(found.map(({ principal }) => principal.name)).toEqual([first.name]);
    const second = draft({ scheme: 'none', identity });
    expect(await one.admin.add(one.caller, second)).toMatchObject({
      error: { code: 'CONFLICT', field: 'identity.subject' },
    });
    expect((await one.admin.list(one.caller)).map(({ name }) => name)).not.toContain(second.name);
    const twin = { ...draft({ identity: { ...identity, subject: randomUUID() } }), name: first.name };
    expect(await one.admin.add(one.caller, twin)).toMatchObject({
      error: { code: 'CONFLICT', field: 'name' },
    });
    expect(await one.identities.find('jwt', identity.issuer, [twin.identity?.subject ?? ''])).toEqual([]);
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
  const signer = {
    agentUrl: 'https://agency.example/mcp',
    dialect: 'ads',
    jwks: { keys: [testKey] },
  } as const;

  it.each([
    ['refused with a published test key, whatever it is called', false, false],
    ['taken with one in the local profile', true, true],
  ])('is %s', async (_what, trustsTestKeys, isTaken) => {
    const { admin, caller, directory } = await world();
    const { name } = made(await admin.add(caller, draft()));
    const identity = createIdentityAdmin({
      ownKeys: {} as PlatformKeys,
      times: defaultRotationTimes,
      principals: directory,
      signers: signerDirectory(store),
      egress: { checkUrl: () => Promise.resolve(ok(undefined)) },
      clock,
      newId: () => randomUUID(),
      trustsTestKeys,
    });
    const doors = await specDoors({}, undefined, undefined, undefined, clock, undefined, {
      identity: {
        ...identity,
        addSigner: (_door, principal, given) => identity.addSigner(caller, principal, given),
      },
    });
    const row = { agent_url: signer.agentUrl, jwks: signer.jwks };
    const answer = await doors.post(`/v1/principals/${name}/signers`, row, {
      authorization: `Bearer ${doors.token}`,
    });
    await doors.close();
    expect(answer.ok).toBe(isTaken);
    if (!isTaken) expect(await faultOf(answer)).toMatchObject({ code: 'INVALID_REQUEST', field: 'jwks' });
    expect(await identity.listSigners(caller)).toHaveLength(isTaken ? 1 : 0);
  });

  it('is registered without keys where its agent is to be asked for them, at an address that we may call', async () => {
    const { admin, caller, directory } = await world();
    const { name } = made(await admin.add(caller, draft()));
    const signers = signerDirectory(store);
    const requested: string[] = [];
    const identity = createIdentityAdmin({
      ownKeys: {} as PlatformKeys,
      times: defaultRotationTimes,
      principals: directory,
      signers,
      egress: {
        checkUrl: (url) => {
          requested.push(url);
          const refused = {
            code: 'blocked_address',
            message: 'It may not be called.',
            delivered: 'no',
          } as const;
          return Promise.resolve(url.includes('169.254') ? err(refused) : ok(undefined));
        },
      },
      clock,
      newId: () => randomUUID(),
    });
    const { agentUrl, dialect } = signer;
    const added = await identity.addSigner(caller, name, { agentUrl, dialect, protocol: 'a2a' });
    if (!added.ok) throw new Error(added.error.message);
    expect(added.value).toMatchObject({ agent_url: agentUrl, discovered_over: 'a2a' });
    expect(added.value).not.toHaveProperty('kids');
    expect(requested).toEqual([agentUrl]);
    const scope = { organizationId: caller.organizationId };
    const jwksUri = 'https://agency.example/jwks.json';
    await signers.keepKeySet(scope, added.value.signer_id, { jwksUri, known: undefined });
    expect(await identity.listSigners(caller)).toEqual([{ ...added.value, jwks_uri: jwksUri }]);
    const denied = await identity.addSigner(caller, name, {
      agentUrl: 'https://169.254.169.254/mcp',
      dialect,
    });
    expect(!denied.ok && denied.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'agent_url' });
    expect(await identity.listSigners(caller)).toHaveLength(1);
  });
});
