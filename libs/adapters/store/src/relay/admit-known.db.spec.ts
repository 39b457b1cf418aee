import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import type { Delegation, KnownAdmission, PathRows } from '@switchyard/relay';
import {
  createConnection,
  createOrganization,
  createScope,
  createPrincipal,
  createToken,
  makeOperation,
  openTestStore,
} from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { delegations } from './delegations.js';
import { relayLog } from './relay-log.js';

const at = Date.UTC(2026, 0, 2);
let scope: { organizationId: string };
let rows: PathRows;
let signerId: string;
let delegation: Delegation;

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const log = relayLog(store);
const grants = delegations(store);
beforeEach(async () => {
  const { id: organizationId } = await createOrganization(store);
  scope = { organizationId };
  const principal = await createPrincipal(store, organizationId);
  await createToken(store, principal);
  signerId = randomUUID();
  const connectionId = randomUUID();
  const [tokenId] = await changed(`select id from principal_token where principal_id = '${principal.id}'`);
  await changed(
    `insert into principal_signer (id, organization_id, principal_id, agent_url, jwks, dialect, created_at)
     values ('${signerId}', '${organizationId}', '${principal.id}', 'https://brand.example', '{"keys":[]}', 'adcp', now())`,
  );
  await changed(
    `insert into connection (id, organization_id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
       state, credential_id, created_at, updated_at)
     values ('${connectionId}', '${organizationId}', 'acme', 'Acme', 'https://acme.example/mcp', 'mcp', 'adcp', '3.0', '3.0',
       '{}', 'live', '${credentialId}', now(), now())`,
  );
  rows = { tokenId: tokenId?.id ?? '', principalId: principal.id, connectionId, seller: 'acme' };
  delegation = await granted();
});

const credentialId = randomUUID();

function changed(statement: string): Promise<{ id: string }[]> {
  return store.inTenant(scope, async (client) => (await client.query<{ id: string }>(statement)).rows);
}

async function granted(change: Partial<Delegation> = {}): Promise<Delegation> {
  const current: Delegation = {
    id: randomUUID(),
    organizationId: scope.organizationId,
    principalId: rows.principalId,
    seller: 'acme',
    tasks: ['get_products'],
    grantedAt: at - 1_000,
    until: at + 1_000_000,
    budget: { ceiling: 1_000_000n, currency: 'USD' },
    grantedBy: { principalId: rows.principalId },
    ...change,
  };
  await grants.grant(scope, current);
  return current;
}

function admission(mark: string, change: Partial<KnownAdmission> = {}): KnownAdmission {
  const nonce = randomUUID();
  return {
    rows,
    mark,
    signerId,
    record: {
      id: randomUUID(),
      way: 'sealed',
      principalId: rows.principalId,
      principal: 'brand',
      seller: 'acme',
      task: 'get_products',
      delegationId: delegation.id,
      arrived: { at, bodyHash: 'b', bytes: 1, keyid: 'k', steps: [] },
    },
    claim: { key: `k ${rows.principalId}`, nonce, expiresAt: at + 300_000 },
    use: { credentialId, version: 1, actor: 'fanout' },
    durable: false,
    ...change,
  };
}

function draftOf(idempotencyKey: string): OperationDraft {
  const operation = {
    id: randomUUID(),
    organizationId: scope.organizationId,
    principalId: rows.principalId,
    task: 'update_media_buy',
    taskId: `task_${randomUUID()}`,
    idempotencyKey,
    requestHash: 'h',
    profile: { dialect: 'adcp' as const, form: '3.0' as const },
    request: {},
    status: 'submitted' as const,
    createdAt: at,
    updatedAt: at,
  };
  const leg = {
    id: randomUUID(),
    organizationId: scope.organizationId,
    operationId: operation.id,
    connectionId: rows.connectionId,
    seller: 'acme',
    task: operation.task,
    profile: operation.profile,
    outbound: '{}',
    status: 'sent' as const,
    attempts: 1,
    sealed: true as const,
    errors: [],
    findings: [],
    createdAt: at,
  };
  return { operation, legs: [leg], sellerBuys: [], packages: [], registrations: [] };
}

/** Everything that an admission writes, as counts: a refused one leaves all of them as they were. */
async function written(): Promise<unknown> {
  const counts = await store.inTenant(scope, (client) =>
    client.query(`select (select count(*)::int from relay_request) as requests,
                         (select count(*)::int from credential_use) as uses`),
  );
  const nonces = await store.pool.query(
    'select count(*)::int as nonces from signature_nonce where keyid = $1',
    [`k ${rows.principalId}`],
  );
  return { ...counts.rows[0], ...(nonces.rows[0] as object) };
}

describe('a request judged by known rows', () => {
  it('is admitted with its nonce, its audit row and its record in one commit', async () => {
    const mark = await log.pathMark(scope, rows);
    const one = admission(mark);
    expect(await log.admitKnown(scope, one)).toBe(true);
    expect(await written()).toEqual({ requests: 1, uses: 1, nonces: 1 });
    const [use] = await changed('select operation_id as id from credential_use');
    expect(use?.id).toBe(one.record.id);
    expect((await log.list(scope, { limit: 2 }))[0]).toMatchObject({
      id: one.record.id,
      task: 'get_products',
      delegationId: delegation.id,
      inChain: false,
    });
    expect(
      await log.findDuplicate(scope, rows.principalId, {
        keyid: one.record.arrived.keyid ?? '',
        nonce: one.claim.nonce,
        since: at,
      }),
    ).toMatchObject({ recordId: one.record.id });
    expect(await log.leftOpen(scope, at + 1, 9)).toMatchObject([{ id: one.record.id, outcome: 'unknown' }]);
  });

  const changes: readonly [what: string, change: () => Promise<unknown>][] = [
    ['its delegation was revoked', () => grants.revoke(scope, delegation.id, { by: rows.principalId, at })],
    ['another delegation was granted', () => granted()],
    ['its token was revoked', () => changed('update principal_token set revoked_at = now()')],
    ['its token is gone', () => changed('delete from principal_token')],
    ['its principal was switched off', () => changed('update principal set disabled_at = now()')],
    ['its connection was paused', () => changed(`update connection set state = 'paused'`)],
    ['its signer was removed', () => changed('update principal_signer set removed_at = now()')],
    [
      'the credential of its connection was rotated',
      () =>
        changed(
          `insert into credential (credential_id, version, organization_id, kind, scheme, kms_key_id, wrapped_key, nonce,
             ciphertext, tag, commitment, created_at)
           values ('${credentialId}', ${(version += 1)}, '${scope.organizationId}', 'bearer', 's', 'k', '', '', '', '', '', now())`,
        ),
    ],
  ];
  let version = 1;

  it.each(changes)('is not admitted, and writes nothing, after a change: %s', async (_what, change) => {
    const mark = await log.pathMark(scope, rows);
    expect(await log.admitKnown(scope, admission(mark))).toBe(true);
    await change();
    expect(await log.admitKnown(scope, admission(mark))).toBe(false);
    // Nor in a batch with others.
    const many = Array.from({ length: 8 }, () => log.admitKnown(scope, admission(mark)));
    expect(await Promise.all(many)).toEqual(many.map(() => false));
    expect(await written()).toEqual({ requests: 1, uses: 1, nonces: 1 });
  });

  it('is not admitted twice with one nonce, for any number at once', async () => {
    const mark = await log.pathMark(scope, rows);
    const { claim } = admission(mark);
    const all = await Promise.all(
      Array.from({ length: 12 }, () => log.admitKnown(scope, admission(mark, { claim }))),
    );
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await written()).toEqual({ requests: 1, uses: 1, nonces: 1 });
  });

  it('never commits more than the ceiling together with others, to the micro', async () => {
    const mark = await log.pathMark(scope, rows);
    const all = await Promise.all(
      Array.from({ length: 12 }, () => log.admitKnown(scope, admission(mark, { hold: 250_000n }))),
    );
    expect(all.filter(Boolean)).toHaveLength(4);
    expect((await grants.list(scope, {}))[0]?.committed).toBe(1_000_000n);
    expect(await log.admitKnown(scope, admission(mark, { hold: 1n }))).toBe(false);
    expect(await log.admitKnown(scope, admission(mark))).toBe(true);
  });

  it('is admitted in the transaction of its operation', async () => {
    const mark = await log.pathMark(scope, rows);
    const stored = async () => (await changed('select id from leg')).length;
    const first = admission(mark, { durable: true, draft: draftOf('one') });
    expect(await log.admitKnown(scope, first)).toBe(true);
    expect([await stored(), await written()]).toEqual([1, { requests: 1, uses: 1, nonces: 1 }]);
    // The same key with a new signature, the same nonce with a new key, and more than the ceiling.
    for (const refused of [
      admission(mark, { durable: true, draft: draftOf('one') }),
      admission(mark, { durable: true, draft: draftOf('two'), claim: first.claim }),
      admission(mark, { durable: true, draft: draftOf('three'), hold: 1_000_001n }),
      admission('another mark', { durable: true, draft: draftOf('four') }),
    ])
      expect(await log.admitKnown(scope, refused)).toBe(false);
    expect([await stored(), await written()]).toEqual([1, { requests: 1, uses: 1, nonces: 1 }]);
    expect(
      await log.admitKnown(
        scope,
        admission(mark, { durable: true, draft: draftOf('five'), hold: 1_000_000n }),
      ),
    ).toBe(true);
  });

  it('is not admitted with a creative whose id another tenant has in the account', async () => {
    const theirs = await createScope(store);
    // The address of the connection that these tests relay to.
    const agentUrl = 'https://acme.example/mcp';
    const there = await createConnection(store, theirs.organizationId, { agentUrl });
    const { slug, id: connectionId } = there;
    const made = makeOperation(theirs, { sellers: [slug], connectionIds: { [slug]: connectionId } });
    const id = `spot-${randomUUID()}`;
    const placed = (placedAt: string, seller: string, legId: string) => ({
      creatives: [],
      placements: [{ creativeId: id, connectionId: placedAt, seller, legId }],
      archived: [],
    });
    const legId = made.legs[0]?.id ?? '';
    await operationStore(store).begin(theirs, { ...made, creatives: placed(connectionId, slug, legId) });
    const mark = await log.pathMark(scope, rows);
    const bare = draftOf('one');
    const draft = { ...bare, creatives: placed(rows.connectionId, 'acme', bare.legs[0]?.id ?? '') };
    expect(await log.admitKnown(scope, admission(mark, { durable: true, draft }))).toBe(false);
    expect(await written()).toEqual({ requests: 0, uses: 0, nonces: 0 });
    // It takes the slow path, which gives the reason; without the creative it is admitted.
    expect(await log.admitKnown(scope, admission(mark, { durable: true, draft: bare }))).toBe(true);
  });

  it('stores its draft unchanged, alone and in a batch, for recovery after a crash', async () => {
    const mark = await log.pathMark(scope, rows);
    const received = [
      'plain',
      'with "quotes", {braces}, \\back\\slashes\nand lines',
      'NULL',
      'größer ≤ 1',
      "it's",
    ];
    const requested = received.map((principal) => {
      const one = admission(mark);
      return { ...one, record: { ...one.record, principal } };
    });
    const [first, ...others] = requested;
    if (first === undefined) throw new Error('There is a first one.');
    expect(await log.admitKnown(scope, first)).toBe(true);
    expect(await Promise.all(others.map((one) => log.admitKnown(scope, one)))).toEqual(
      others.map(() => true),
    );
    const left = await log.leftOpen(scope, at + 1, 9);
    expect(new Map(left.map((record) => [record.id, record]))).toEqual(
      new Map(requested.map(({ record }) => [record.id, { ...record, outcome: 'unknown' }])),
    );
  });

  it('is refused alone within a batch', async () => {
    const mark = await log.pathMark(scope, rows);
    const good = [admission(mark), admission(mark), admission(mark)];
    const bad = [admission('another mark'), admission(mark, { claim: good[0]!.claim })];
    const all = await Promise.all([...good, ...bad].map((one) => log.admitKnown(scope, one)));
    expect(all.filter(Boolean)).toHaveLength(3);
    expect(all[3]).toBe(false);
    expect(await written()).toEqual({ requests: 3, uses: 3, nonces: 3 });
  });

  it("cannot be written into another tenant, nor with another tenant's marks", async () => {
    const mark = await log.pathMark(scope, rows);
    const other = await createScope(store);
    expect(await log.pathMark(other, rows)).not.toBe(mark);
    expect(await log.admitKnown(other, admission(mark))).toBe(false);
    const own = await log.pathMark(other, rows);
    expect(await log.admitKnown(other, admission(own))).toBe(false);
    const many = [mark, own, mark, own, mark, own, mark, own].map((one) =>
      log.admitKnown(other, admission(one)),
    );
    expect(await Promise.all(many)).toEqual(many.map(() => false));
    expect(await written()).toEqual({ requests: 0, uses: 0, nonces: 0 });
  });
});
