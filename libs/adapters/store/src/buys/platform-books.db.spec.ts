import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { TaskQuery } from '@switchyard/buys';
import type { BuyerRegistration } from '@switchyard/events';
import { ownReach } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, makeOperation, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { taskCallbacks } from '../outbox/task-callbacks.js';
import { accountRepository } from '../tenancy/account-repository.js';
import { billingRepository } from './billing-repository.js';
import { operationStore } from './operation-store.js';
import { taskLog } from './task-log.js';

const at = Date.UTC(2026, 4, 1);

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

async function someone() {
  const { id: organizationId } = await createOrganization(store);
  const { id: principalId } = await createPrincipal(store, organizationId);
  return { scope: { organizationId }, principalId };
}

type Someone = Awaited<ReturnType<typeof someone>>;

async function begun({ scope, principalId }: Someone, createdAt: number) {
  const draft = makeOperation(scope, { principalId, createdAt, sellers: ['acme'] });
  await operationStore(store).begin(scope, draft);
  return draft;
}

type Begun = Awaited<ReturnType<typeof begun>>;

const idsIn = (made: readonly Begun[]) => made.map(({ operation }) => operation.taskId);

async function settled({ scope }: Someone, { legs }: Begun, when: number): Promise<void> {
  await operationStore(store).change(scope, legs[0]!.id, (state) => ({
    ...state,
    operation: { ...state.operation, status: 'completed', updatedAt: when, settledAt: when },
  }));
}

describe('the log of tasks', () => {
  const query = ({ principalId }: Someone, more: Partial<TaskQuery> = {}): TaskQuery => ({
    tasks: [{ names: ['create_media_buy'], reach: ownReach(principalId) }],
    filters: {},
    sort: { field: 'created_at', direction: 'desc' },
    limit: 10,
    offset: 0,
    asOf: at + 1_000,
    ...more,
  });
  const idsOf = async (who: Someone, more: Partial<TaskQuery> = {}): Promise<readonly string[]> =>
    (await taskLog(store).find(who.scope, query(who, more))).items.map(({ operation }) => operation.taskId);

  it('lists only a principal’s tasks, in the requested order, in pages, and counts all', async () => {
    const [ours, theirs] = [await someone(), await someone()];
    const made = [await begun(ours, at), await begun(ours, at + 1), await begun(ours, at + 2)];
    await begun(theirs, at);
    const ids = made.map(({ operation }) => operation.taskId);
    expect(await idsOf(ours)).toEqual([...ids].reverse());
    expect(await idsOf(ours, { sort: { field: 'created_at', direction: 'asc' }, limit: 2 })).toEqual(
      ids.slice(0, 2),
    );
    const page = await taskLog(store).find(ours.scope, query(ours, { limit: 1, offset: 1 }));
    expect(page.items.map(({ operation }) => operation.taskId)).toEqual([ids[1]]);
    expect(page.counts).toEqual([{ status: 'submitted', task: 'create_media_buy', count: 3 }]);
    const stranger = { ...theirs, principalId: ours.principalId };
    expect(await idsOf(stranger)).toEqual([]);
  });

  it('shows nothing created after the first page', async () => {
    const who = await someone();
    const old = await begun(who, at);
    await begun(who, at + 5_000);
    expect(await idsOf(who)).toEqual([old.operation.taskId]);
  });

  it('shows each task once over all pages, while others stop matching the filter', async () => {
    const who = await someone();
    const made = [];
    for (const later of [0, 1, 2, 3, 4]) made.push(await begun(who, at + later));
    const filters = { statuses: ['submitted'] };
    const first = await taskLog(store).find(who.scope, query(who, { filters, limit: 2 }));
    expect(first.items.map(({ operation }) => operation.taskId)).toEqual(idsIn([made[4]!, made[3]!]));
    for (const one of [made[4]!, made[3]!]) await settled(who, one, at + 2_000);
    const after = { filters, limit: 2, after: first.next! };
    const second = await taskLog(store).find(who.scope, query(who, after));
    expect(second.items.map(({ operation }) => operation.taskId)).toEqual(idsIn([made[2]!, made[1]!]));
    const third = await taskLog(store).find(who.scope, query(who, { ...after, after: second.next! }));
    expect([third.items.map(({ operation }) => operation.taskId), third.next]).toEqual([
      idsIn([made[0]!]),
      undefined,
    ]);
  });

  it.each(['asc', 'desc'] as const)(
    'skips no task that moves between pages, in order of change, %s',
    async (direction) => {
      const who = await someone();
      const made = [];
      for (const later of [0, 1, 2, 3]) made.push(await begun(who, at + later));
      for (const field of ['updated_at', 'status'] as const) {
        const asOf = at + 1_000 + (field === 'status' ? 5_000 : 0);
        const requested = { sort: { field, direction }, limit: 1, asOf };
        const seen: string[] = [];
        let page = await taskLog(store).find(who.scope, query(who, requested));
        seen.push(...page.items.map(({ operation }) => operation.id));
        // A task that was not listed yet moves to an earlier or a later page.
        const unseen = made.find(({ operation }) => !seen.includes(operation.id))!;
        await settled(who, unseen, asOf + 500);
        while (page.next !== undefined) {
          page = await taskLog(store).find(who.scope, query(who, { ...requested, after: page.next }));
          seen.push(...page.items.map(({ operation }) => operation.id));
        }
        expect([...seen].sort()).toEqual(made.map(({ operation }) => operation.id).sort());
        expect(seen.at(-1)).toBe(unseen.operation.id);
      }
    },
  );

  it.each(['task_type', 'protocol', 'created_at'] as const)('pages through an order by %s', async (field) => {
    const who = await someone();
    const made = [await begun(who, at), await begun(who, at), await begun(who, at + 1)];
    for (const direction of ['asc', 'desc'] as const) {
      const requested = { sort: { field, direction } };
      const whole = await idsOf(who, requested);
      expect(whole).toHaveLength(made.length);
      const { next } = await taskLog(store).find(who.scope, query(who, { ...requested, limit: 1 }));
      expect(await idsOf(who, { ...requested, after: next! })).toEqual(whole.slice(1));
    }
  });

  it('shows the tasks of one account, by its brand and operator', async () => {
    const who = await someone();
    const { operation } = await begun(who, at);
    const pair = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
    expect(await idsOf(who, { account: { id: 'a1', ...pair } })).toEqual([operation.taskId]);
    expect(await idsOf(who, { account: { id: 'a2', ...pair, operator: 'other.example' } })).toEqual([]);
    expect(await idsOf(who, { account: { id: 'a3', ...pair, brandId: 'b' } })).toEqual([]);
  });

  it('filters by id, status, time and context, without wildcards', async () => {
    const who = await someone();
    const [one, two] = [await begun(who, at), await begun(who, at + 10)];
    const id = one.operation.taskId;
    expect(await idsOf(who, { filters: { taskIds: [id, 'nobody\u0000'] } })).toEqual([id]);
    expect(await idsOf(who, { filters: { statuses: ['completed'] } })).toEqual([]);
    const createdAfter = new Date(at + 5).toISOString();
    expect(await idsOf(who, { filters: { createdAfter } })).toEqual([two.operation.taskId]);
    expect(await idsOf(who, { filters: { contextContains: '%' } })).toEqual([]);
    expect(await idsOf(who, { filters: { hasWebhook: true } })).toEqual([]);
  });
});

describe('native callbacks of a task', () => {
  const address = (who: Someone, operationId: string, name: string): BuyerRegistration => ({
    id: randomUUID(),
    ...who.scope,
    principalId: who.principalId,
    operationId,
    channel: 'task',
    envelope: 'a2a-1.0',
    mode: 'signed',
    url: `https://buyer.example/${name}`,
    buyerOperationId: name,
    profile: { dialect: 'adcp', form: '3.1' },
    createdAt: at,
  });

  it('are added, replaced and removed, only within their tenant', async () => {
    const [ours, theirs] = [await someone(), await someone()];
    const { operation } = await begun(ours, at);
    const repository = taskCallbacks(store);
    const [first, second] = [address(ours, operation.id, 'a'), address(ours, operation.id, 'a')];
    expect(await repository.add(ours.scope, first)).toBe('added');
    expect(await repository.add(ours.scope, second, first.id)).toBe('added');
    expect(await repository.list(ours.scope, operation.id)).toEqual([second]);
    expect(await repository.list(theirs.scope, operation.id)).toEqual([]);
    expect(await repository.add(theirs.scope, address(theirs, operation.id, 'b'))).toBe('over');
    await repository.remove(theirs.scope, second.id, at);
    expect(await repository.list(ours.scope, operation.id)).toHaveLength(1);
    await repository.remove(ours.scope, second.id, at);
    expect(await repository.list(ours.scope, operation.id)).toEqual([]);
  });

  it('are added to an ended task as to any other, though nothing will be sent to them', async () => {
    const who = await someone();
    const { operation, legs } = await begun(who, at);
    await operationStore(store).change(who.scope, legs[0]!.id, (state) => ({
      ...state,
      operation: { ...state.operation, status: 'failed', settledAt: at },
    }));
    const added = address(who, operation.id, 'a');
    expect(await taskCallbacks(store).add(who.scope, added)).toBe('added');
    expect(await taskCallbacks(store).list(who.scope, operation.id)).toMatchObject([{ id: added.id }]);
    await taskCallbacks(store).remove(who.scope, added.id, at);
    expect(await taskCallbacks(store).list(who.scope, operation.id)).toEqual([]);
  });
});

describe('marks of externally billed buys', () => {
  it('are stored once, only for their tenant', async () => {
    const [ours, theirs] = [await someone(), await someone()];
    const mark = {
      connectionId: randomUUID(),
      brandDomain: 'brand.example',
      brandId: '',
      operator: 'agency.example',
    };
    const repository = billingRepository(store);
    await Promise.all([1, 2].map(() => repository.markBilledElsewhere(ours.scope, [mark], at)));
    expect(await repository.billedElsewhere(ours.scope)).toEqual([mark]);
    expect(await repository.billedElsewhere(theirs.scope)).toEqual([]);
  });
});

describe('accounts', () => {
  const fresh = (brandDomain: string) => ({
    id: randomUUID(),
    brandDomain,
    brandId: '',
    operator: 'agency.example',
    isSandbox: false,
  });

  it('are opened once per pair, also by two at the same time, and stay closed', async () => {
    const { scope, principalId } = await someone();
    const repository = accountRepository(store);
    const twins = [fresh('a.example'), fresh('a.example')];
    const seen = await Promise.all(
      twins.map((duplicate) => repository.apply(scope, principalId, { open: [duplicate], close: [] }, at)),
    );
    const [only] = seen[1]!;
    expect(await repository.accounts(scope, principalId)).toEqual([{ ...only, createdAt: at }]);
    await repository.apply(scope, principalId, { open: [], close: [only!.id] }, at + 5);
    const anew = fresh('a.example');
    const after = await repository.apply(scope, principalId, { open: [anew], close: [] }, at + 9);
    expect(after).toEqual([
      { ...only, closedAt: at + 5 },
      { ...anew, createdAt: at + 9 },
    ]);
  });

  it('of other principals and organizations are neither shown nor closed', async () => {
    const ours = await someone();
    const colleague = await createPrincipal(store, ours.scope.organizationId);
    const theirs = await someone();
    const repository = accountRepository(store);
    const one = fresh('a.example');
    await repository.apply(ours.scope, ours.principalId, { open: [one], close: [] }, at);
    expect(await repository.apply(ours.scope, colleague.id, { open: [], close: [one.id] }, at)).toEqual([]);
    expect(await repository.apply(theirs.scope, ours.principalId, { open: [], close: [one.id] }, at)).toEqual(
      [],
    );
    expect(await repository.accounts(ours.scope, ours.principalId)).toEqual([{ ...one, createdAt: at }]);
  });

  it('are listed with whether they have unfinished media buys', async () => {
    const who = await someone();
    const repository = accountRepository(store);
    const [used, unused] = [fresh('brand.example'), fresh('other.example')];
    await repository.apply(who.scope, who.principalId, { open: [used, unused], close: [] }, at);
    const { buy, legs } = await begun(who, at);
    expect(await repository.liveBuys(who.scope, who.principalId)).toEqual(new Map([[used.id, [buy.id]]]));
    await operationStore(store).change(who.scope, legs[0]!.id, (state) => ({
      ...state,
      buy: { ...state.buy!, status: 'canceled' },
    }));
    expect(await repository.liveBuys(who.scope, who.principalId)).toEqual(new Map());
  });
});
