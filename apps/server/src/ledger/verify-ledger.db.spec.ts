import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { compactVerify, importJWK, type JWK } from 'jose';
import { readAnchorDocument } from '@switchyard/journal';
import { createEntry, verifyLedgerExport, type LedgerEntry } from '@switchyard/ledger';
import { anchorStore, checkpointStore, ledgerStore, openStore, verifyInWorker } from '@switchyard/store';
import { createOrganization, memoryKeyManagement, openTestStore, testClock } from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { must, ok, type JsonObject } from '@switchyard/values';
import { createLedgerAnchors } from './anchor-ledger.js';
import { createLedgerVerifier, type VerifierDeps } from './verify-ledger.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
afterAll(() => owner.end());
afterAll(stop);

const ledger = ledgerStore(store);
const checkpoints = checkpointStore(store);
const keys = memoryKeyManagement();
const clock = testClock();
const running = new AbortController();
const connection = { appUrl: database.appUrl, preparedStatements: true };
const inThread: VerifierDeps['read'] = ({ organizationId }, options) =>
  verifyInWorker({ ...connection, organizationId, ...options }, running.signal);
// The same reader without its thread, which takes most of a second of processor time to start.
const read: VerifierDeps['read'] = (scope, options) => ledger.verify(scope, options);
const verifier = createLedgerVerifier({ keys, checkpoints, read, clock });

const tenant = async (): Promise<TenantScope> => ({ organizationId: (await createOrganization(store)).id });

function entry(): LedgerEntry {
  const posting = (account: 'media_spend' | 'seller_payable', amountMicros: bigint) => ({
    account,
    day: '2026-12-01',
    currency: 'EUR',
    amountMicros,
  });
  return must(
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
}

async function append(scope: TenantScope, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1)
    await store.inTenant(scope, (client) => ledger.append(client, [entry(), entry()], clock.now()));
}

/** A ledger of three blocks, verified, and two blocks after that. */
async function verified(): Promise<TenantScope> {
  const scope = await tenant();
  await append(scope, 3);
  expect(await verifier.verify(scope)).toMatchObject({ ok: true, entries: 6n });
  await append(scope, 2);
  return scope;
}

const tamper = async (text: string, scope: TenantScope): Promise<void> => {
  const changed = await owner.query(text, [scope.organizationId]);
  expect(changed.rowCount).toBeGreaterThan(0);
};
const editEntry = (block: number) =>
  `update ledger_entry set body = replace(body, 'EUR', 'USD') where organization_id = $1 and block_number = ${block}`;

describe('a verification of the ledger', () => {
  it('continues from the last checkpoint, and reads everything on request', async () => {
    const scope = await verified();
    const first = clock.now();
    clock.advance(60_000);
    expect(await verifier.verify(scope)).toMatchObject({
      ok: true,
      entries: 10n,
      since: { head: { number: 3n, entryTotal: 6n }, fullyVerifiedAt: first },
    });
    expect(await verifier.verify(scope)).toMatchObject({
      ok: true,
      since: { head: { number: 5n }, verifiedAt: clock.now(), fullyVerifiedAt: first },
    });
    const whole = await verifier.verify(scope, { fromStart: true });
    expect(whole).toMatchObject({ ok: true, entries: 10n });
    expect(whole.since).toBeUndefined();
    expect((await verifier.verify(scope)).since).toMatchObject({ fullyVerifiedAt: clock.now() });
  });

  it('finds an edit after the checkpoint, and stores no checkpoint beyond it', async () => {
    const scope = await verified();
    await tamper(editEntry(4), scope);
    const verdict = await verifier.verify(scope);
    expect(verdict).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ code: 'chain' })]),
    });
    expect((await checkpoints.find(scope))?.checkpoint.head.number).toBe(3n);
  });

  it('finds an edit before the checkpoint when it reads from the start', async () => {
    const scope = await verified();
    await tamper(editEntry(2), scope);
    expect(await verifier.verify(scope)).toMatchObject({ ok: true, since: {} });
    expect(await verifier.verify(scope, { fromStart: true })).toMatchObject({ ok: false });
  });

  it('finds balances that differ from the sum of the postings, before and after the checkpoint', async () => {
    const scope = await verified();
    await tamper(
      `update ledger_balance set amount_micros = amount_micros + 1 where organization_id = $1 and account = 'media_spend'`,
      scope,
    );
    expect(await verifier.verify(scope)).toMatchObject({
      ok: false,
      problems: [{ code: 'balance_differs' }],
    });
  });

  it('finds a stream that was cut off, or rewritten from before the checkpoint with its head', async () => {
    const scope = await verified();
    await tamper(
      `delete from ledger_posting p using ledger_entry e
      where e.id = p.entry_id and e.organization_id = $1 and e.block_number > 1`,
      scope,
    );
    for (const table of ['ledger_entry where block_number > 1 and', 'journal_block where number > 1 and'])
      await tamper(`delete from ${table} organization_id = $1`, scope);
    await tamper(
      `update journal_head h set number = 1, hash = b.hash, entry_total = 2, sealed_at = b.sealed_at
       from journal_block b where b.organization_id = $1 and h.organization_id = $1`,
      scope,
    );
    await tamper(
      `update ledger_balance set amount_micros = sign(amount_micros) * 10 where organization_id = $1`,
      scope,
    );
    for (const fromStart of [false, true])
      expect((await verifier.verify(scope, { fromStart })).problems).toContainEqual(
        expect.objectContaining({ code: 'chain' }),
      );
    await append(scope, 4);
    for (const fromStart of [false, true])
      expect((await verifier.verify(scope, { fromStart })).problems).toContainEqual(
        expect.objectContaining({ code: 'chain' }),
      );
  });

  it.each([
    ['moved on', `update journal_checkpoint set number = 4 where organization_id = $1`],
    ['of other sums', `update journal_checkpoint set sums = '{}' where organization_id = $1`],
    [
      'of a later whole read',
      `update journal_checkpoint set fully_verified_at = now() where organization_id = $1`,
    ],
    [
      'with a MAC of somebody else',
      `update journal_checkpoint set mac = repeat('0', 64) where organization_id = $1`,
    ],
  ])('finds a checkpoint %s, reads everything, and replaces it only from the start', async (_what, text) => {
    const scope = await verified();
    await tamper(text, scope);
    const forged = { ok: false, problemTotal: 1, problems: [{ code: 'checkpoint' }] };
    for (const fromStart of [false, true])
      expect(await verifier.verify(scope, { fromStart })).toMatchObject(forged);
    expect(await verifier.verify(scope)).toMatchObject({ ok: true, since: { head: { number: 5n } } });
  });

  it('uses no checkpoint of another organization, and shows it to none', async () => {
    const [scope, other] = [await verified(), await verified()];
    await owner.query('delete from journal_checkpoint where organization_id = $1', [scope.organizationId]);
    await owner.query(
      `insert into journal_checkpoint select $1, stream, number, hash, entry_total, sealed_at, sums, verified_at,
         fully_verified_at, key_id, wrapped_key, mac from journal_checkpoint where organization_id = $2`,
      [scope.organizationId, other.organizationId],
    );
    expect(await verifier.verify(scope)).toMatchObject({ ok: false, problems: [{ code: 'checkpoint' }] });
    const seen = await store.inTenant(scope, (client) =>
      client.query<{ organization_id: string }>('select organization_id from journal_checkpoint'),
    );
    expect(seen.rows.map((row) => row.organization_id)).toEqual([scope.organizationId]);
  });

  it('reads everything if the checkpoint was removed, or its key cannot be used', async () => {
    const scope = await verified();
    const stranger = createLedgerVerifier({ keys: memoryKeyManagement(), checkpoints, read, clock });
    const unexpected = await stranger.verify(scope);
    expect(unexpected.since).toBeUndefined();
    await owner.query('delete from journal_checkpoint where organization_id = $1', [scope.organizationId]);
    const removed = await verifier.verify(scope);
    expect([removed.ok, removed.since]).toEqual([true, undefined]);
  });

  it('that is interrupted keeps the checkpoint before it, and the next one continues', async () => {
    const scope = await verified();
    const ending = new AbortController();
    const ended = createLedgerVerifier({
      keys,
      checkpoints,
      read: ({ organizationId }, options) => {
        const reading = verifyInWorker({ ...connection, organizationId, ...options }, ending.signal);
        ending.abort();
        return reading;
      },
      clock,
    });
    await expect(ended.verify(scope)).rejects.toThrow('ended before it was done');
    expect(await verifier.verify(scope)).toMatchObject({ ok: true, since: { head: { number: 3n } } });
  });

  it('agrees with a simultaneous one, in this process and in another', async () => {
    const scope = await verified();
    const another = createLedgerVerifier({ keys, checkpoints, read: inThread, clock });
    const verdicts = await Promise.all([
      verifier.verify(scope),
      verifier.verify(scope, { fromStart: true }),
      another.verify(scope),
      another.verify(scope, { fromStart: true }),
    ]);
    expect(verdicts.map(({ ok, entries }) => [ok, entries])).toEqual(verdicts.map(() => [true, 10n]));
    expect(await verifier.verify(scope)).toMatchObject({ ok: true, since: { head: { number: 5n } } });
  });
});

describe('a signed head', () => {
  const made = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const pair = {
    publicKey: createPublicKey({ key: made.publicKey, type: 'spki', format: 'der' }),
    privateKey: createPrivateKey({ key: made.privateKey, type: 'pkcs8', format: 'der' }),
  };
  const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'k1' } as JsonObject;
  const anchorsOf = (own: readonly string[]) =>
    createLedgerAnchors({
      store: anchorStore(store),
      head: (scope) => ledger.head(scope),
      domainOf: () => Promise.resolve('acme.example'),
      organizations: { ids: () => Promise.resolve(own) },
      keys: {
        signDocument: (_scope, _use, bytesFor) => {
          const bytes = bytesFor('k1', 'EdDSA');
          return Promise.resolve(ok({ bytes, signature: sign(null, bytes, pair.privateKey), publicJwk }));
        },
      },
      clock,
    });

  /** Writes the ledger anew, whole and matching itself, and as long as before. */
  async function rewrite(scope: TenantScope): Promise<void> {
    await tamper(
      `delete from ledger_posting p using ledger_entry e where e.id = p.entry_id and e.organization_id = $1`,
      scope,
    );
    for (const table of [
      'ledger_entry',
      'journal_block',
      'journal_head',
      'ledger_balance',
      'journal_checkpoint',
    ])
      await tamper(`delete from ${table} where organization_id = $1`, scope);
    await append(scope, 5);
  }

  it('finds a rewritten history that is consistent with itself, on the instance and in an export', async () => {
    const scope = await verified();
    const anchors = anchorsOf([scope.organizationId]);
    const made = must(await anchors.make(scope));
    const { head, jws } = made;
    const { payload, protectedHeader } = await compactVerify(jws, await importJWK(publicJwk as JWK, 'EdDSA'));
    expect(protectedHeader).toMatchObject({ kid: 'k1', typ: 'switchyard-anchor+jws' });
    const signed = JSON.parse(Buffer.from(payload).toString()) as JsonObject;
    const { stream, number, hash } = head;
    expect(readAnchorDocument(signed)).toEqual({ stream, number, hash, madeAt: made.madeAt });

    await append(scope, 1);
    expect(await verifier.verify(scope, { anchors: [head] })).toMatchObject({ ok: true, entries: 12n });
    await rewrite(scope);
    expect(await verifier.verify(scope, { fromStart: true })).toMatchObject({ ok: true });
    expect(await verifier.verify(scope, { anchors: [head] })).toMatchObject({
      ok: false,
      problems: [{ code: 'chain', message: 'The chain is broken: anchor_mismatch at block 5.' }],
    });
    expect(await ledger.stream(scope, (stream) => verifyLedgerExport(stream))).toMatchObject({ ok: true });
    expect(await ledger.stream(scope, (stream) => verifyLedgerExport(stream, [head]))).toMatchObject({
      ok: false,
    });
  });

  it('is created once a day while the ledger grows, and never changed', async () => {
    const [scope, empty] = [await verified(), await tenant()];
    const anchors = anchorsOf([scope.organizationId, empty.organizationId]);
    expect(await anchors.makeDue()).toBe(1);
    await append(scope, 1);
    expect(await anchors.makeDue()).toBe(0);
    clock.advance(86_400_001);
    expect(await anchors.makeDue()).toBe(1);
    clock.advance(86_400_001);
    expect(await anchors.makeDue()).toBe(0);
    expect(await anchors.published(empty)).toEqual([]);
    const published = await anchors.published(scope);
    expect(published.map(({ number }) => number)).toEqual(['6', '5']);
    for (const { jws } of published) {
      const claims = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
      expect(Object.keys(claims).sort()).toEqual(['format', 'hash', 'made_at', 'number', 'stream']);
    }
    expect(await anchors.make(empty)).toEqual({ ok: false, error: { code: 'empty' } });
    for (const act of ['update journal_anchor set hash = stream', 'delete from journal_anchor'])
      await expect(owner.query(`${act} where organization_id = $1`, [scope.organizationId])).rejects.toThrow(
        'never changed',
      );
  });
});
