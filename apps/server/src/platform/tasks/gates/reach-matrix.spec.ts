import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  builtInRoles,
  roleGrant,
  withRoles,
  type DeclaredAccount,
  type GrantScope,
  type Principal,
} from '@switchyard/tenancy';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import type { PrincipalCaller, TaskCall, TaskReply } from '../call/task-call.js';
import { harnessDeps } from '../testkit/harness-call.js';
import { taskService } from '../../../main/testkit/task-service.js';
import { principalCaller } from '../../caller/principal-caller.js';

/*
 * Every role in every scope, at every endpoint, on a colleague's buy that belongs to a client, a brand and a campaign. The
 * rule is written here a second time on purpose: a scope holds what lies in it, and a role does what its row says.
 */

const client = randomUUID();
const campaign = randomUUID();
const brand = 'brand.example';
const inside: readonly GrantScope[] = [
  { kind: 'organization' },
  { kind: 'client', id: client },
  { kind: 'brand', id: brand },
  { kind: 'campaign', id: campaign },
];
const outside: readonly GrantScope[] = [
  { kind: 'client', id: randomUUID() },
  { kind: 'brand', id: 'other.example' },
  { kind: 'campaign', id: randomUUID() },
  { kind: 'own' },
];
const http = ['mcp', 'a2a', 'rest'] as const;
const roles = Object.keys(builtInRoles);
const accounts: readonly DeclaredAccount[] = [
  { id: 'acc-1', brandDomain: brand, brandId: '', operator: 'agency.example' },
];

/** Who has the account. */
const buyers = new Set<string>();

let harness: BuyingHarness;
let deps: HandlerDeps;
let owner: PrincipalCaller;
let mediaBuyId: string;
let taskId: string;

const principal = (organizationId: string, id: string = randomUUID()): Principal => ({
  ...{ id, organizationId, name: 'somebody', kind: 'person', permissions: {} },
  ...{ transitional: true, legacy: false },
});
const holder = (
  role: string,
  scope: GrantScope,
  of: string = harness.scope.organizationId,
): PrincipalCaller =>
  principalCaller(withRoles(principal(of), [roleGrant(role, builtInRoles[role]!, scope)]));

function call(as: PrincipalCaller, task: string, args: JsonObject, endpoint: TaskCall['endpoint'] = 'mcp') {
  const given = { adcp_version: '3.1', ...args };
  const signal = new AbortController().signal;
  return taskService(deps).call({ endpoint, task, args: given, exact: new Map(), caller: as, signal });
}
let changes = 0;
const change = (): JsonObject => ({
  media_buy_id: mediaBuyId,
  idempotency_key: `key-${randomUUID()}`,
  end_time: new Date(Date.UTC(2026, 5, 1) + (changes += 1) * 1000).toISOString(),
});
const code = ({ errors }: TaskReply): string => errors[0]?.code ?? 'done';
const buysIn = ({ body }: TaskReply): readonly unknown[] =>
  Array.isArray(body['media_buys'])
    ? body['media_buys'].map((mediaBuy) => (isJsonObject(mediaBuy) ? mediaBuy['media_buy_id'] : mediaBuy))
    : [];

beforeAll(async () => {
  harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  deps = harnessDeps(harness, [], {
    principals: {
      accountsOf: (_scope: unknown, id: string) => Promise.resolve(buyers.has(id) ? accounts : []),
    },
    grants: { holders: () => Promise.resolve(['the admin']) },
    declareOnFirstUse: false,
  });
  owner = {
    ...principalCaller(principal(harness.scope.organizationId, harness.principalId)),
    permissions: builtInRoles['trader'] as PrincipalCaller['permissions'],
  };
  buyers.add(owner.principalId);
  const made = await call(owner, 'create_media_buy', harness.request(['acme']).args);
  mediaBuyId = made.body['media_buy_id'] as string;
  const rows = harness.store.rowsOf(harness.scope);
  const whose = { clientId: client, brandDomain: brand, campaignId: campaign };
  for (const [id, buy] of rows.buys) rows.buys.set(id, { ...buy, ...whose });
  for (const [id, operation] of rows.operations) {
    taskId = operation.taskId;
    rows.operations.set(id, { ...operation, ...whose });
  }
});

const cells = roles.flatMap((role) =>
  [...inside.map((scope) => [scope, true] as const), ...outside.map((scope) => [scope, false] as const)].map(
    ([scope, isIn]) => [role, scope.kind, isIn ? 'in' : 'out', scope, isIn] as const,
  ),
);

describe.each(cells)('%s in a scope %s that the buy is %s', (role, _kind, _in, scope, isIn) => {
  const held: readonly string[] = builtInRoles[role]!.media_buys ?? [];
  const mayRead = isIn && held.includes('read');
  const mayWrite = isIn && held.includes('write');

  it.each(http)(
    'reads and changes it over %s as far as the role allows, and else does not find it',
    async (endpoint) => {
      const as = holder(role, scope);
      const read = await call(as, 'get_media_buys', { media_buy_ids: [mediaBuyId] }, endpoint);
      expect(buysIn(read)).toEqual(mayRead ? [mediaBuyId] : []);
      const task = await call(as, 'tasks/get', { task_id: taskId }, endpoint);
      expect(code(task)).toBe(mayRead ? 'done' : 'REFERENCE_NOT_FOUND');
      const received = harness.seller('acme').received.length;
      const changed = await call(as, 'update_media_buy', change(), endpoint);
      const refused = held.includes('write') ? 'MEDIA_BUY_NOT_FOUND' : 'PERMISSION_DENIED';
      expect(code(changed)).toBe(mayWrite ? 'done' : refused);
      expect(harness.seller('acme').received.length > received).toBe(mayWrite);
      if (!isIn) {
        // What is not in reach is answered like what is not there.
        const none = { ...change(), media_buy_id: `mb_${randomUUID()}` };
        const nothing = await call(as, 'update_media_buy', none, endpoint);
        expect(changed.errors).toEqual(nothing.errors);
      }
    },
  );

  it('finds nothing of it from another organization', async () => {
    const as = holder(role, scope, randomUUID());
    const read = await call(as, 'get_media_buys', { media_buy_ids: [mediaBuyId] });
    expect([buysIn(read), JSON.stringify(read.body)]).toEqual([[], expect.not.stringContaining(client)]);
    expect(code(await call(as, 'update_media_buy', change()))).not.toBe('done');
    expect(code(await call(as, 'tasks/get', { task_id: taskId }))).toBe('REFERENCE_NOT_FOUND');
  });
});

describe('a new buy', () => {
  it.each([
    [{ kind: 'organization' }, true],
    [{ kind: 'brand', id: brand }, true],
    [{ kind: 'own' }, true],
    [{ kind: 'brand', id: 'other.example' }, false],
    [{ kind: 'client', id: randomUUID() }, false],
  ] as const)('is made if the role applies, %j: %s', async (scope, isMade) => {
    const as = holder('trader', scope);
    buyers.add(as.principalId);
    const received = harness.seller('acme').received.length;
    const made = await call(as, 'create_media_buy', harness.request(['acme']).args);
    expect(code(made)).toBe(isMade ? 'done' : 'PERMISSION_DENIED');
    expect(harness.seller('acme').received.length > received).toBe(isMade);
  });
});

describe("an update of a colleague's buy", () => {
  it('is an operation of its author, and the buy stays its owner’s', async () => {
    const as = holder('trader', { kind: 'campaign', id: campaign });
    expect(code(await call(as, 'update_media_buy', change()))).toBe('done');
    const { operations, buys } = harness.store.rowsOf(harness.scope);
    const last = [...operations.values()].at(-1);
    expect([last?.principalId, last?.mediaBuyId]).toEqual([as.principalId, mediaBuyId]);
    expect(buys.get(mediaBuyId)?.principalId).toBe(owner.principalId);
  });

  it('follows the buy: a scope does not find it after the buy was moved out of it', async () => {
    const as = holder('trader', { kind: 'campaign', id: campaign });
    const { buys } = harness.store.rowsOf(harness.scope);
    const before = buys.get(mediaBuyId)!;
    buys.set(mediaBuyId, { ...before, campaignId: randomUUID() });
    expect(code(await call(as, 'update_media_buy', change()))).toBe('MEDIA_BUY_NOT_FOUND');
    buys.set(mediaBuyId, before);
    expect(code(await call(as, 'update_media_buy', change()))).toBe('done');
  });

  it('by a role that may only read is refused with the permission, the scope and who can grant it', async () => {
    const grants = [
      roleGrant('viewer', builtInRoles['viewer']!, { kind: 'client', id: client }),
      roleGrant('trader', builtInRoles['trader']!, { kind: 'brand', id: 'other.example' }),
    ];
    const as = principalCaller(withRoles(principal(harness.scope.organizationId), grants));
    const { errors } = await call(as, 'update_media_buy', change());
    expect(errors[0]).toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('media_buys.write'),
      suggestion: expect.stringContaining('the admin'),
    });
  });
});
