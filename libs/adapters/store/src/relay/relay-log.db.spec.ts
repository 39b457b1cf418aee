import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OperationStore } from '@switchyard/buys';
import {
  judgeDelegation,
  verifyCustody,
  type Admission,
  type CustodyRecord,
  type Delegation,
} from '@switchyard/relay';
import {
  createConnection,
  createScope,
  createPrincipal,
  makeOperation,
  openTestStore,
  untilWaitedFor,
  wholeStream,
} from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { openStore } from '../core/open-store.js';
import { claimCreatives } from '../creatives/lock-creatives.js';
import { lockSpend } from '../spending/lock-spend.js';
import { delegations } from './delegations.js';
import { relayLog } from './relay-log.js';

const at = Date.UTC(2026, 0, 2);
let scope: { organizationId: string };
let principalId: string;

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const log = relayLog(store);
const grants = delegations(store);
beforeEach(async () => {
  scope = await createScope(store);
  principalId = (await createPrincipal(store, scope.organizationId)).id;
});

async function granted(change: Partial<Delegation> = {}): Promise<Delegation> {
  const delegation: Delegation = {
    id: randomUUID(),
    organizationId: scope.organizationId,
    principalId,
    seller: 'acme',
    tasks: ['create_media_buy', 'get_products'],
    grantedAt: at - 1_000,
    until: at + 1_000_000,
    budget: { ceiling: 1_000_000n, currency: 'USD' },
    grantedBy: { principalId },
    ...change,
  };
  await grants.grant(scope, delegation);
  return delegation;
}

function record(change: Partial<CustodyRecord> = {}): Omit<CustodyRecord, 'outcome'> {
  return {
    id: randomUUID(),
    way: 'sealed',
    principalId,
    principal: 'brand',
    seller: 'acme',
    task: 'create_media_buy',
    arrived: { at, bodyHash: 'b', bytes: 1, keyid: 'k', steps: [] },
    ...change,
  };
}

const admit = (admission: Partial<Admission> & Pick<Admission, 'record'>) =>
  log.admit(scope, { durable: true, ...admission }, (held) =>
    judgeDelegation(held, {
      seller: 'acme',
      task: 'create_media_buy',
      at,
      ...(admission.hold === undefined ? {} : { spend: admission.hold }),
    }),
  );

const ended = (one: Omit<CustodyRecord, 'outcome'>, releases = false) => ({
  record: { ...one, outcome: 'answered' as const },
  at: at + 5,
  releases,
});

describe('admission under a delegation', () => {
  it('never lets simultaneous requests exceed a budget', async () => {
    await granted();
    const all = await Promise.all(
      Array.from({ length: 12 }, () =>
        admit({ record: record(), hold: { amount: 300_000n, currency: 'USD' } }),
      ),
    );
    expect(all.filter((one) => one.ok)).toHaveLength(3);
    expect(new Set(all.flatMap((one) => (one.ok ? [] : [one.error])))).toEqual(
      new Set(['DELEGATION_BUDGET_EXCEEDED']),
    );
    expect((await grants.list(scope, {}))[0]?.committed).toBe(900_000n);
  });

  it('releases the budget if the seller created nothing, and keeps it otherwise', async () => {
    await granted();
    const [kept, freed] = [record(), record()];
    const hold = { amount: 500_000n, currency: 'USD' };
    await admit({ record: kept, hold });
    await admit({ record: freed, hold });
    expect(await admit({ record: record(), hold })).toMatchObject({ ok: false });
    await log.seal(scope, principalId, [ended(kept), ended(freed, true)]);
    expect((await grants.list(scope, {}))[0]?.committed).toBe(500_000n);
    expect(await admit({ record: record(), hold })).toMatchObject({ ok: true });
  });

  it('refuses a creative id that another tenant of the account has', async () => {
    await granted();
    const agentUrl = `https://seller-${randomUUID()}.example/mcp`;
    const theirs = await createScope(store);
    const bringing = async (of: typeof scope) => {
      const { slug: seller, id: connectionId } = await createConnection(store, of.organizationId, {
        agentUrl,
      });
      const made = makeOperation(of, { sellers: [seller], connectionIds: { [seller]: connectionId } });
      const placement = { creativeId: 'spot', connectionId, seller, legId: made.legs[0]?.id ?? '' };
      return { ...made, creatives: { creatives: [], placements: [placement], archived: [] } };
    };
    await operationStore(store).begin(theirs, await bringing(theirs));
    const one = record();
    const draft = await bringing(scope);
    expect(await admit({ record: one, draft })).toEqual({ ok: false, error: 'RELAY_CREATIVE_NOT_FOUND' });
    expect(await operationStore(store).state(scope, draft.operation.id)).toBeUndefined();
    expect(await log.list(scope, { limit: 9 })).toEqual([]);
  });

  it('is retried after a deadlock with another request with the same creative', async () => {
    const { id } = await granted();
    const agentUrl = `https://seller-${randomUUID()}.example/mcp`;
    // An id has to be claimed only where the account may be another tenant's as well.
    await createConnection(store, (await createScope(store)).organizationId, { agentUrl });
    const { slug: seller, id: connectionId } = await createConnection(store, scope.organizationId, {
      agentUrl,
    });
    const made = makeOperation(scope, { sellers: [seller], connectionIds: { [seller]: connectionId } });
    const placement = { creativeId: 'spot', connectionId, seller, legId: made.legs[0]?.id ?? '' };
    const draft = { ...made, creatives: { creatives: [], placements: [placement], archived: [] } };
    let admitted: ReturnType<typeof admit> | undefined;
    // PostgreSQL ends either of the two: the one that checks first, which depends on the machine.
    await retryDeadlock(() =>
      store.inTenant(scope, async (client) => {
        // The lock order of `admitKnown`: the creative, and then the delegation.
        await claimCreatives(client, [placement]);
        if (admitted === undefined) {
          admitted = admit({ record: record(), draft, hold: { amount: 1n, currency: 'USD' } });
          await untilWaitedFor(client);
        }
        await client.query('select 1 from delegation where id = $1 for update', [id]);
      }),
    );
    expect(await admitted).toMatchObject({ ok: true });
    expect(await operationStore(store).state(scope, draft.operation.id)).toBeDefined();
  });

  it('applies a revocation to the next request', async () => {
    const { id } = await granted();
    expect(await admit({ record: record() })).toMatchObject({ ok: true, value: { delegation: { id } } });
    expect(await grants.revoke(scope, id, { by: principalId, at: at - 1 })).toBe(true);
    expect(await grants.revoke(scope, id, { by: principalId, at })).toBe(false);
    expect(await admit({ record: record() })).toEqual({ ok: false, error: 'DELEGATION_REVOKED' });
  });

  it('ignores delegations of another principal, seller or tenant', async () => {
    const other = await createPrincipal(store, scope.organizationId);
    await granted({ principalId: other.id });
    await granted({ seller: 'globex' });
    expect(await admit({ record: record() })).toEqual({ ok: false, error: 'DELEGATION_MISSING' });
    const stranger = await createScope(store);
    expect(await grants.list(stranger, {})).toEqual([]);
    expect(await grants.list(scope, { principalId })).toHaveLength(1);
  });

  it('records a request that never ended as an unknown outcome', async () => {
    await granted();
    const left = record();
    await admit({ record: left, nonce: 'n' });
    expect(await log.leftOpen(scope, at, 10)).toEqual([]);
    expect(await log.leftOpen(scope, at + 1, 10)).toMatchObject([{ id: left.id, outcome: 'unknown' }]);
    expect(await log.findDuplicate(scope, principalId, { keyid: 'k', nonce: 'n', since: at })).toEqual({
      recordId: left.id,
      bodyHash: 'b',
    });
    await log.seal(scope, principalId, [{ record: { ...left, outcome: 'unknown' }, at, releases: false }]);
    expect(await log.leftOpen(scope, at + 1, 10)).toEqual([]);
    expect(await log.findDuplicate(scope, principalId, { keyid: 'k', nonce: 'n', since: at })).toMatchObject({
      outcome: 'unknown',
    });
    expect(
      await log.findDuplicate(scope, principalId, { keyid: 'k', nonce: 'n', since: at + 1 }),
    ).toBeUndefined();
  });
});

describe('the chain of custody', () => {
  it('contains every record once, for any number of writers and batch sizes', async () => {
    await granted();
    const records = Array.from({ length: 8 }, () => record());
    for (const one of records) await admit({ record: one });
    const batches = [records.slice(0, 3), records.slice(2, 6), records.slice(5), records];
    await Promise.all(
      batches.map((batch) =>
        log.seal(
          scope,
          principalId,
          batch.map((one) => ended(one)),
        ),
      ),
    );
    expect(await log.chain(scope, principalId, verifyCustody)).toMatchObject({ ok: true, entries: 8n });
    const shown = await log.show(scope, records[0]!.id);
    expect(shown).toMatchObject({ principalId, record: { id: records[0]!.id, outcome: 'answered' } });
  });

  it("stores a seller's answer in its operation and the record in one transaction", async () => {
    await granted();
    const made = makeOperation(scope);
    const [leg] = made.legs;
    if (leg === undefined) throw new Error('An operation has a leg.');
    const one = { ...record(), operationId: made.operation.id };
    expect(await admit({ record: one, draft: made })).toMatchObject({ ok: true });
    const before = await operationStore(store).state(scope, made.operation.id);
    const apply = async (operations: OperationStore, isWhole: boolean): Promise<void> => {
      await operations.change(scope, leg.id, (state) => ({
        ...state,
        legs: state.legs.map((each) => ({ ...each, status: 'completed', observedAt: at })),
        operation: { ...state.operation, status: 'completed', settledAt: at, updatedAt: at },
      }));
      // A statement that travels with its COMMIT does not end the transaction that it is part of.
      expect(await operations.leg(scope, leg.id)).toMatchObject({ status: 'completed' });
      if (!isWhole) throw new Error('It could not be applied.');
    };
    const other = { ...record(), operationId: made.operation.id };
    await admit({ record: other });
    const failing = { ...ended(one), apply: (operations: OperationStore) => apply(operations, false) };
    await expect(log.seal(scope, principalId, [ended(other), failing])).rejects.toThrow(
      'could not be applied',
    );
    expect(await operationStore(store).state(scope, made.operation.id)).toEqual(before);
    expect((await log.chain(scope, principalId, wholeStream)).blocks).toEqual([]);
    const whole = { ...ended(one), apply: (operations: OperationStore) => apply(operations, true) };
    await log.seal(scope, principalId, [ended(other), whole]);
    expect(await operationStore(store).leg(scope, leg.id)).toMatchObject({ status: 'completed' });
    const { blocks } = await log.chain(scope, principalId, wholeStream);
    expect(blocks.map(({ entries }) => entries.length)).toEqual([2]);
  });

  it('retries after a deadlock in an applied change, and then seals', async () => {
    await granted();
    const one = record();
    await admit({ record: one });
    let turns = 0;
    const apply = async (operations: OperationStore): Promise<void> => {
      turns += 1;
      const decide = (): never => {
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      };
      const made = makeOperation(scope);
      await operations.begin(scope, made);
      if (turns === 1) await operations.change(scope, made.legs[0]?.id ?? '', decide);
    };
    await log.seal(scope, principalId, [{ ...ended(one), apply }]);
    expect(turns).toBe(2);
    const { entries } = (await log.chain(scope, principalId, wholeStream)).blocks[0] ?? {};
    expect(entries).toHaveLength(1);
  });

  it('never deadlocks with a webhook of an applied operation', async () => {
    await granted();
    let turns = 0;
    const buying = async () => {
      const made = makeOperation(scope, { sellers: ['acme'] });
      const legId = made.legs[0]?.id ?? '';
      const spend = { parts: [{ legId, seller: 'acme', amount: 1n, currency: 'USD' }], quotes: [] };
      await operationStore(store).begin(scope, { ...made, spend });
      const one = { ...record(), operationId: made.operation.id };
      await admit({ record: one });
      const apply = async (operations: OperationStore): Promise<void> => {
        turns += 1;
        await operations.change(scope, legId, (state) => ({
          ...state,
          legs: state.legs.map((each) => ({ ...each, status: 'completed', observedAt: at })),
        }));
      };
      return { ...ended(one), apply };
    };
    const batch = [await buying(), await buying()];
    let sealed: Promise<void> | undefined;
    await store.inTenant(scope, async (client) => {
      // The lock order of a webhook: its operation first, and the organization's spend last.
      await client.query('select 1 from operation where id = $1 for update', [batch[1]?.record.operationId]);
      sealed = log.seal(scope, principalId, batch);
      await untilWaitedFor(client);
      await lockSpend(client);
    });
    await sealed;
    expect(turns).toBe(batch.length);
  });

  it('is one per principal, empty at first', async () => {
    await granted();
    const one = record();
    await admit({ record: one });
    await log.seal(scope, principalId, [ended(one)]);
    const other = await createPrincipal(store, scope.organizationId);
    expect(await log.chain(scope, other.id, verifyCustody)).toMatchObject({ ok: true, entries: 0n });
    await log.seal(scope, other.id, [ended(one)]);
    expect((await log.chain(scope, other.id, wholeStream)).blocks).toEqual([]);
  });

  it('shows refused requests beside the others, and seals them too', async () => {
    const refused: CustodyRecord = { ...record(), outcome: 'refused', code: 'DELEGATION_MISSING' };
    await log.refuse(scope, [refused]);
    expect(await log.list(scope, { principalId, limit: 5 })).toMatchObject([
      { id: refused.id, outcome: 'refused', code: 'DELEGATION_MISSING', inChain: false },
    ]);
    await log.seal(scope, principalId, [{ record: refused, at, releases: false }]);
    expect(await log.list(scope, { outcome: 'refused', limit: 5 })).toMatchObject([{ inChain: true }]);
    expect(await log.list(scope, { outcome: 'answered', limit: 5 })).toEqual([]);
  });

  it('cannot be changed or removed once sealed', async () => {
    const refused: CustodyRecord = { ...record(), outcome: 'refused', code: 'X' };
    await log.refuse(scope, [refused]);
    await log.seal(scope, principalId, [{ record: refused, at, releases: false }]);
    for (const statement of ["update custody_entry set body = '{}'", 'delete from custody_entry']) {
      await expect(store.inTenant(scope, (client) => client.query(statement))).rejects.toThrow(
        /written once|permission denied/,
      );
    }
  });
});
