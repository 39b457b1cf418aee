import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addKeyToFile, keyringFileOf, openKeyManagement } from '@switchyard/kms';
import { createEntry } from '@switchyard/ledger';
import {
  checkpointStore,
  credentialStore,
  instanceNotes,
  ledgerStore,
  openStore,
  sealedUnder,
  verifyInWorker,
} from '@switchyard/store';
import { createScope, openTestStore, startKmsDouble, testClock, type KmsDouble } from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { must, Secret } from '@switchyard/values';
import { createVault, makeKeyCheck, type MasterKeys, type Vault } from '@switchyard/vault';
import { createLedgerVerifier } from '../ledger/verify-ledger.js';
import { chooseFirst, chosenKey, sealMoves, storedKeyCheck, storeFirstCheck } from '../main/master-keys.js';
import { moveSeals, type MoveSealsDeps } from './move-seals.js';

const { store, database, stop } = await openTestStore(openStore);
const folder = await mkdtemp(join(tmpdir(), 'switchyard-move-'));
const environment = { ...process.env };
let double: KmsDouble;
beforeAll(async () => {
  double = await startKmsDouble();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: double.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'not-a-real-one',
    AWS_MAX_ATTEMPTS: '1',
  });
});
afterAll(async () => {
  process.env = environment;
  await double.close();
  await rm(folder, { recursive: true });
  await stop();
});

const clock = testClock();
const notes = instanceNotes(store);

/** A process with these settings. */
async function startedWith(env: { SWITCHYARD_KMS_KEY_ID?: string }) {
  const { keys } = must(await openKeyManagement(env, folder, { chosen: chosenKey(notes) }));
  await chooseFirst(notes, keys, clock.now());
  must(await keys.refresh());
  const vault = createVault({
    kms: keys,
    store: credentialStore(store),
    clock,
    newId: randomUUID,
    randomBytes,
    cacheEntries: 0,
  });
  const verifier = createLedgerVerifier({
    keys,
    checkpoints: checkpointStore(store),
    read: ({ organizationId }, options) =>
      verifyInWorker(
        { appUrl: database.appUrl, preparedStatements: true, organizationId, ...options },
        new AbortController().signal,
      ),
    clock,
  });
  const moves: MoveSealsDeps = { ...sealMoves({ store, keys }), vault, clock };
  return { keys, vault, verifier, moves };
}
type Process = Awaited<ReturnType<typeof startedWith>>;

const put = async (vault: Vault, scope: TenantScope, text: string): Promise<string> =>
  must(await vault.put(scope, { kind: 'idempotency', secret: new Secret(Buffer.from(text)) })).credentialId;

const opened = async ({ vault }: Process, scope: TenantScope, credentialId: string): Promise<string> =>
  must(
    await vault.withSecret(
      scope,
      { credentialId, kind: 'idempotency' },
      { purpose: 'test', actor: 'test' },
      (secret) => Promise.resolve(secret.useText((text) => text)),
    ),
  );

async function verifiedLedger({ verifier }: Process, scope: TenantScope): Promise<void> {
  const posting = (account: 'media_spend' | 'seller_payable', amountMicros: bigint) => ({
    account,
    day: '2026-12-01',
    currency: 'EUR',
    amountMicros,
  });
  const entry = must(
    createEntry({
      id: randomUUID(),
      kind: 'delivery',
      operationId: randomUUID(),
      seller: 'acme',
      occurredAt: clock.now(),
      postings: [posting('media_spend', 5n), posting('seller_payable', -5n)],
      facts: {},
    }),
  );
  await store.inTenant(scope, (client) => ledgerStore(store).append(client, [entry], clock.now()));
  expect(await verifier.verify(scope)).toMatchObject({ ok: true });
}

const keyIds = async (): Promise<string[]> => [
  ...new Set((await sealedUnder(store)).map(({ keyId }) => keyId)),
];
const localKey = (keys: MasterKeys): string => keys.currentKeyId();

describe('moving all seals of an installation', () => {
  it('goes from the keyring to KMS, can be cut off, and leaves nothing under the keyring', async () => {
    const before = await startedWith({});
    await storeFirstCheck(notes, must(await makeKeyCheck(before.keys)), clock.now());
    const scopes = [await createScope(store), await createScope(store)] as const;
    const ids = await Promise.all(scopes.map((scope, at) => put(before.vault, scope, `secret ${at}`)));
    must(await before.vault.rotate(scopes[0], ids[0] ?? '', new Secret(Buffer.from('secret 0, second'))));
    await verifiedLedger(before, scopes[0]);
    expect(await keyIds()).toEqual([localKey(before.keys)]);

    const after = await startedWith({ SWITCHYARD_KMS_KEY_ID: double.keyArn });
    // Started with KMS, it still wraps with the key of the others until somebody moves the installation.
    const between = await put(after.vault, scopes[1], 'between');
    expect(await keyIds()).toEqual([localKey(before.keys)]);

    let calls = 0;
    const cut: MoveSealsDeps = {
      ...after.moves,
      vault: {
        rewrapAll: (scope) =>
          (calls += 1) === 1
            ? after.vault.rewrapAll(scope)
            : Promise.resolve({ ok: false, error: { code: 'store_unavailable', message: 'cut off' } }),
      },
    };
    expect(await moveSeals(cut)).toMatchObject({ ok: false });
    expect(new Set(await keyIds()).size).toBe(2);
    // The process from before reads which key wraps now, lacks it, and seals nothing under the old one.
    const late = await before.vault.put(scopes[0], {
      kind: 'idempotency',
      secret: new Secret(Buffer.from('late')),
    });
    expect(late).toMatchObject({ ok: false, error: { kms: 'unknown_key' } });

    const moved = must(await moveSeals(after.moves));
    expect(moved).toMatchObject({ left: 0, keyId: double.keyArn });
    expect(await keyIds()).toEqual([double.keyArn]);
    expect((await storedKeyCheck(notes))?.keyId).toBe(double.keyArn);
    expect(must(await moveSeals(after.moves)).rewrapped).toBe(0);

    expect(await opened(after, scopes[0], ids[0] ?? '')).toBe('secret 0, second');
    expect(await opened(after, scopes[1], ids[1] ?? '')).toBe('secret 1');
    expect(await opened(after, scopes[1], between)).toBe('between');
    // The checkpoint is still ours: the next verification goes on from it.
    expect((await after.verifier.verify(scopes[0])).since).toBeDefined();
  });

  it('goes back to another key of the keyring, in a process that runs since before it was added', async () => {
    const running = await startedWith({ SWITCHYARD_KMS_KEY_ID: double.keyArn });
    const added = must(await addKeyToFile(keyringFileOf({}, folder), false));
    const newest = [...added.keys.keys()].at(-1) ?? '';
    expect(must(await moveSeals(running.moves, newest))).toMatchObject({ left: 0, keyId: newest });
    expect(await keyIds()).toEqual([newest]);
    const scope = await createScope(store);
    await put(running.vault, scope, 'new');
    expect(await keyIds()).toEqual([newest]);
  });

  it('changes nothing if the new key is unknown or refuses', async () => {
    const running = await startedWith({ SWITCHYARD_KMS_KEY_ID: double.keyArn });
    const before = running.keys.currentKeyId();
    expect(await moveSeals(running.moves, 'local:0000000000000000')).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
    double.failNext('AccessDeniedException');
    expect(await moveSeals(running.moves)).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(await chosenKey(notes)()).toBe(before);
    expect(await keyIds()).toEqual([before]);
  });
});
