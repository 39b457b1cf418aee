import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { OperationState } from '@switchyard/buys';
import { createScope, draftedAt, makeOperation, openTestStore, seededRandom } from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import type { Announce } from './announce.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

/** Writes the status of the operation, for each of its addresses. */
const announce: Announce = ({ operation }, addresses) =>
  addresses.map(({ id, principalId }) => ({
    id: randomUUID(),
    registrationId: id,
    principalId,
    operationId: operation.id,
    stream: id,
    kind: 'task' as const,
    idempotencyKey: randomUUID(),
    body: Buffer.from(JSON.stringify({ status: operation.status })),
    createdAt: operation.updatedAt,
  }));

const ways = [
  ['submitted', 'working', 'completed'],
  ['submitted', 'input-required', 'completed'],
  ['working', 'failed'],
  ['submitted', 'canceled'],
] as const;

/** Moves operations with a buyer's address through what happens to them, one step of any of them at a time. */
async function play(scope: TenantScope, seed: number, announces: Announce): Promise<void> {
  const chance = seededRandom(seed);
  const operations = operationStore(store, { announce: announces });
  const open: { readonly legId: string; readonly rest: string[] }[] = [];
  for (const [at, [first, ...rest]] of ways.entries()) {
    const draft = makeOperation(scope, { sellers: ['acme'] });
    const { operation } = draft;
    const address = {
      ...{ id: randomUUID(), ...scope, principalId: operation.principalId, operationId: operation.id },
      ...({ channel: 'task', envelope: 'mcp', mode: 'signed' } as const),
      url: `https://buyer.example/${at}`,
      profile: operation.profile,
      createdAt: draftedAt,
    };
    await operations.begin(scope, { ...draft, callbacks: [address] });
    await operations.saveAnswer(scope, operation.id, { status: first, task_id: operation.taskId }, draftedAt);
    open.push({ legId: draft.legs[0]?.id ?? '', rest: [...rest] });
  }
  for (let now = draftedAt + 1; open.some(({ rest }) => rest.length > 0); now += 1_000) {
    const { legId, rest } = chance.pick(open.filter((one) => one.rest.length > 0));
    const status = rest.shift() as OperationState['operation']['status'];
    await operations.change(scope, legId, (state) => ({
      ...state,
      operation: { ...state.operation, status, updatedAt: now },
    }));
  }
}

/** Operations whose buyer was not told the status that they have, although it was answered another one. */
async function untold(scope: TenantScope): Promise<readonly string[]> {
  const { rows } = await store.inTenant(scope, (client) =>
    client.query<{ status: string; told: string | null; answered: string }>(
      `select status, answer ->> 'status' as answered,
              (select convert_from(body, 'UTF8')::json ->> 'status' from outbox_event e
               where e.operation_id = operation.id order by e.created_at desc limit 1) as told
       from operation`,
    ),
  );
  return rows
    .filter(({ status, told, answered }) => (told ?? answered) !== status)
    .map(({ status, told }) => `${status} was not told; told is ${told ?? 'nothing'}`);
}

describe('each move of a task that its buyer waits for', () => {
  it.each([1, 2, 3])('is told in the transaction that stores it (seed %i)', async (seed) => {
    const scope = await createScope(store);
    await play(scope, seed, announce);
    expect(await untold(scope)).toEqual([]);
  });

  it('is missed where the outbox is skipped: the planted fault is found', async () => {
    const scope = await createScope(store);
    await play(scope, 1, () => []);
    expect(await untold(scope)).toHaveLength(ways.length);
  });

  it('is missed where the outbox is skipped for one status alone', async () => {
    const scope = await createScope(store);
    await play(scope, 1, (state, addresses) =>
      state.operation.status === 'canceled' ? [] : announce(state, addresses),
    );
    expect(await untold(scope)).toEqual(['canceled was not told; told is nothing']);
  });
});
