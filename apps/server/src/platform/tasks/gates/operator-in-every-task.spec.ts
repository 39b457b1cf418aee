import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BillingRepository, BrandNamed, CampaignDirectory, CreativeStore } from '@switchyard/buys';
import { tasks } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import {
  builtInRoles,
  roleGrant,
  usualPermissions,
  withRoles,
  type AccountChange,
  type AccountRecord,
  type GrantScope,
  type PrincipalDirectory,
} from '@switchyard/tenancy';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { OperatorVerdict } from '../call/operators.js';
import type { OperatorQuestion } from '../call/operators.js';
import { harnessCall, harnessDeps, marketPorts } from '../testkit/harness-call.js';
import type { PrincipalCaller } from '../call/task-call.js';
import { taskService } from '../../../main/testkit/task-service.js';
import { principalCaller } from '../../caller/principal-caller.js';

const granted: OperatorVerdict = { kind: 'granted' };
const refused: OperatorVerdict = {
  kind: 'refused',
  reason: 'not_listed',
  message: 'not listed',
  mayPass: false,
};
const notOwn: OperatorVerdict = { ...refused, reason: 'operator_not_own', message: 'not you' };
const unsure: OperatorVerdict = { kind: 'finding', reason: 'unreachable', message: 'could not be read' };

/** A brand's principal with one account, a harness with one seller of everything, and the brand's own word. */
async function world(known = true, declareOnFirstUse = false) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const entered = new Map<string, string>();
  const acme = harness.connection('acme');
  const connection: Connection = { ...acme, kinds: ['sales', 'signals'] };
  const account: AccountRecord = {
    id: 'acc_1',
    brandDomain: 'brand.example',
    brandId: '',
    operator: 'agency.example',
    isSandbox: false,
    createdAt: 0,
  };
  const questions: OperatorQuestion[] = [];
  const changes: AccountChange[] = [];
  const declared: unknown[] = [];
  let word = granted;
  const wordsOf = new Map<string, OperatorVerdict>();
  const operatorsRefused = new Set<string>();
  const deps = harnessDeps(harness, [], {
    ports: {
      ...marketPorts(harness),
      campaigns: {
        known: (_scope: unknown, { brand: { domain } }: { readonly brand: BrandNamed }) => {
          const clientId = entered.get(domain);
          const clients = clientId === undefined ? [] : [{ id: clientId, name: clientId }];
          const brands = clientId === undefined ? [] : [{ brandId: '', clientId }];
          return Promise.resolve({ brands, clients, campaigns: [], rules: [] });
        },
        brandsWithId: () => Promise.resolve([]),
        ofBuy: (_scope: unknown, id: string) => {
          const buy = harness.store.rowsOf(harness.scope).buys.get(id);
          const brandDomain = buy?.brand['domain'] as string;
          const clientId = entered.get(brandDomain);
          return Promise.resolve({ brandDomain, ...(clientId !== undefined && { clientId }) });
        },
      } satisfies CampaignDirectory,
      connections: { ...harness.ports.connections, list: () => Promise.resolve([connection]) },
    },
    principals: {
      accountsOf: () => Promise.resolve(known ? [account] : []),
      declareAccount: (_scope: unknown, _principal: unknown, row: unknown) => {
        declared.push(row);
        return Promise.resolve(row);
      },
    } as unknown as PrincipalDirectory,
    accounts: {
      accounts: () => Promise.resolve([account]),
      liveBuys: () => Promise.resolve(new Map()),
      apply: (_scope: unknown, _principal: string, change: AccountChange) => {
        changes.push(change);
        return Promise.resolve([account]);
      },
    },
    billing: { billedElsewhere: () => Promise.resolve([]) } as unknown as BillingRepository,
    creatives: {
      byIds: () => Promise.resolve(new Map()),
      packages: () => Promise.resolve([]),
      active: () => Promise.resolve([]),
      sharedConnections: () => Promise.resolve(new Set()),
    } as unknown as CreativeStore,
    declareOnFirstUse,
    operators: {
      judge: (_scope: unknown, question: OperatorQuestion) => {
        questions.push(question);
        return Promise.resolve(wordsOf.get(question.brandDomain) ?? word);
      },
      declared: (_scope: unknown, operator: string) =>
        Promise.resolve(operatorsRefused.has(operator) ? notOwn : granted),
    },
  });
  const service = taskService(deps);
  const call = (task: string, args: JsonObject, as: Partial<PrincipalCaller> = {}) =>
    service.call(
      harnessCall(
        harness,
        task,
        { adcp_version: '3.1', ...args },
        {
          name: 'brand',
          principalKind: 'brand',
          brandDomain: 'brand.example',
          legacy: false,
          ...as,
        },
      ),
    );
  const bought = known ? await call('create_media_buy', { ...harness.request(['acme']).args }) : { body: {} };
  const { media_buy_id: mediaBuyId = '' } = bought.body as { readonly media_buy_id?: string };
  /** How often the seller was told to do it: what it is asked before, as for its formats, changes nothing. */
  const received = (task: string) =>
    harness.seller('acme').received.filter(({ tool }) => tool === task).length;
  questions.length = 0;
  return {
    harness,
    call,
    mediaBuyId,
    heard: received,
    questions,
    changes,
    declared,
    enter: (brandDomain: string, clientId: string) => {
      entered.set(brandDomain, clientId);
    },
    says: (verdict: OperatorVerdict) => {
      word = verdict;
    },
    refusesOperator: (operator: string) => {
      operatorsRefused.add(operator);
    },
    saysOf: (brandDomain: string, verdict: OperatorVerdict) => {
      wordsOf.set(brandDomain, verdict);
    },
  };
}

type World = Awaited<ReturnType<typeof world>>;
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
const format = { agent_url: 'https://formats.example', id: 'display_300x250' };

/** A request of every task that changes something at a seller, and the member that its refusal names. */
const changing: Readonly<
  Record<string, { readonly args: (at: World) => JsonObject; readonly field: string }>
> = {
  create_media_buy: {
    args: ({ harness }) => ({ ...harness.request(['acme']).args }),
    field: 'brand.domain',
  },
  update_media_buy: {
    args: ({ mediaBuyId }) => ({ account, media_buy_id: mediaBuyId, paused: true }),
    field: 'media_buy_id',
  },
  sync_creatives: {
    args: () => ({
      account,
      ext: { switchyard: { sellers: ['acme'] } },
      creatives: [
        {
          creative_id: 'c1',
          name: 'One',
          format_id: format,
          assets: {
            main: { asset_type: 'image', url: 'https://cdn.example/1.png', width: 300, height: 250 },
          },
        },
      ],
    }),
    field: 'account',
  },
  activate_signal: {
    args: () => ({
      account,
      signal_agent_segment_id: 'acme:seg_1',
      destinations: [{ type: 'platform', platform: 'the-desk' }],
    }),
    field: 'account',
  },
  provide_performance_feedback: {
    args: ({ mediaBuyId }) => ({
      media_buy_id: mediaBuyId,
      performance_index: 1.2,
      measurement_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    }),
    field: 'media_buy_id',
  },
  report_usage: {
    args: () => ({
      reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
      usage: [{ account, signal_agent_segment_id: 'acme:seg_1', vendor_cost: 12.5, currency: 'USD' }],
    }),
    field: 'usage[0].account',
  },
};

const keyed = (args: JsonObject): JsonObject => ({ ...args, idempotency_key: randomUUID() });

describe("a brand's statement of its authorized operators", () => {
  it('is requested by every task that changes something at a seller', () => {
    const mutations = tasks.filter(({ kind, serves }) => kind === 'mutation' && serves !== 'platform');
    expect(mutations.map(({ name }) => name).toSorted()).toEqual(Object.keys(changing).toSorted());
  });

  it.each(Object.entries(changing))('refuses %s before a seller is called', async (task, { args, field }) => {
    const at = await world();
    at.says(refused);
    const before = at.heard(task);
    const reply = await at.call(task, keyed(args(at)));
    expect(reply.errors).toMatchObject([
      { code: 'PERMISSION_DENIED', field, details: { reason: 'not_listed' } },
    ]);
    expect(at.heard(task)).toBe(before);
    expect(at.questions).toMatchObject([
      { principalKind: 'brand', principalId: at.harness.principalId, brandDomain: 'brand.example' },
    ]);
  });

  it.each(Object.entries(changing))('does not stop %s, which it cannot refuse', async (task, { args }) => {
    const at = await world();
    at.says(unsure);
    const before = at.heard(task);
    const reply = await at.call(task, keyed(args(at)));
    expect(at.heard(task)).toBeGreaterThan(before);
    expect(reply.errors.map(({ code }) => code)).not.toContain('PERMISSION_DENIED');
  });

  it('is requested for the agent’s own brand if its request names neither a brand nor an account', async () => {
    const at = await world(false);
    at.says(refused);
    const { account: _none, ...args } = changing['activate_signal']!.args(at);
    const reply = await at.call('activate_signal', keyed(args));
    expect(reply.errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
    expect(at.questions).toMatchObject([{ brandDomain: 'brand.example', brandId: '' }]);
    expect(at.heard('activate_signal')).toBe(0);
  });

  it.each([
    ['the brand that is advertised', 'other.example', 'brand.domain'],
    ['the brand whose account pays', 'brand.example', 'account'],
  ])('is requested from %s if the two differ', async (_which, denies, field) => {
    const at = await world();
    at.saysOf(denies, refused);
    const brand = { domain: 'other.example' };
    const before = at.heard('create_media_buy');
    const reply = await at.call(
      'create_media_buy',
      keyed({ ...at.harness.request(['acme']).args, brand, account }),
    );
    expect(reply.errors).toMatchObject([{ code: 'PERMISSION_DENIED', field }]);
    expect(at.heard('create_media_buy')).toBe(before);
  });

  it('is read for the brand of the account when a buy for another brand is updated', async () => {
    const at = await world();
    const brand = { domain: 'other.example' };
    const made = await at.call(
      'create_media_buy',
      keyed({ ...at.harness.request(['acme']).args, brand, account }),
    );
    expect(made.errors).toEqual([]);
    expect(at.questions.map(({ brandDomain }) => brandDomain)).toEqual(['other.example', 'brand.example']);
    at.saysOf('brand.example', refused);
    const mediaBuyId = made.body['media_buy_id'] as string;
    const change = { media_buy_id: mediaBuyId, paused: true };
    for (const args of [change, { ...change, account }]) {
      const reply = await at.call('update_media_buy', keyed(args));
      expect(reply.errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
    }
    expect(at.heard('update_media_buy')).toBe(0);
  });

  it('is checked for the countries of the packages', async () => {
    const at = await world();
    const { packages = [], ...args } = at.harness.request(['acme']).args;
    const targeting_overlay = { geo_countries: ['DE', 'AT'] };
    const wanted = (packages as JsonObject[]).map((item) => ({ ...item, targeting_overlay }));
    await at.call('create_media_buy', keyed({ ...args, packages: wanted }));
    expect(at.questions).toMatchObject([{ countries: ['DE', 'AT'] }]);
  });

  it('is read before a preview calls sellers for the brand', async () => {
    const at = await world();
    at.says(refused);
    const { args } = changing['sync_creatives']!;
    const reply = await at.call('sync_creatives', keyed({ ...args(at), dry_run: true }));
    expect(reply.errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
  });

  it('is requested for each brand of a report of usage, once', async () => {
    const at = await world();
    const { args } = changing['report_usage']!;
    const [record] = args(at)['usage'] as JsonObject[];
    await at.call('report_usage', keyed({ ...args(at), usage: [record!, record!] }));
    expect(at.questions).toHaveLength(1);
  });

  it('opens no account for a brand that does not list us, and leaves its other rows unchanged', async () => {
    const at = await world();
    at.says(refused);
    const row = { operator: 'agency.example', billing: 'operator' };
    const rows = [
      { ...row, brand: { domain: 'brand.example' } },
      { ...row, brand: { domain: 'other.example' } },
    ];
    const reply = await at.call('sync_accounts', keyed({ accounts: rows }));
    expect(reply.body['accounts']).toMatchObject([
      { action: 'unchanged' },
      { action: 'failed', errors: [{ code: 'PERMISSION_DENIED', field: 'accounts[1].brand.domain' }] },
    ]);
    expect(at.changes).toEqual([{ open: [], close: [] }]);
    // Who has an account already is asked about when something is done under it.
    expect(at.questions.map(({ brandDomain }) => brandDomain)).toEqual(['other.example']);
  });

  it('warns beside an account that it cannot confirm', async () => {
    const at = await world();
    at.says(unsure);
    const accounts = [
      { operator: 'agency.example', billing: 'operator', brand: { domain: 'other.example' } },
    ];
    const reply = await at.call('sync_accounts', keyed({ accounts }));
    expect(reply.body['accounts']).toMatchObject([{ action: 'created', warnings: ['could not be read'] }]);
  });
});

describe('a brand of a client', () => {
  /** A buyer's agent with what is usual on its own objects, and a role in a scope. */
  const agent = ({ harness }: World, scope?: GrantScope): Partial<PrincipalCaller> => {
    const { principalId: id, scope: tenant } = harness;
    const bare = { id, ...tenant, name: 'agent', kind: 'buyer', transitional: true, legacy: false } as const;
    const roles = scope === undefined ? [] : [roleGrant('trader', builtInRoles['trader']!, scope)];
    const caller = principalCaller(withRoles({ ...bare, permissions: usualPermissions.buyer }, roles));
    // Nothing of the brand's own agent stays.
    return { brandDomain: undefined as never, grants: undefined as never, ...caller };
  };
  const owner = { kind: 'client', id: 'c1' } as const;
  const scopes: readonly (readonly [GrantScope | undefined, boolean])[] = [
    [undefined, false],
    [{ kind: 'own' }, false],
    [{ kind: 'brand', id: 'bolt.example' }, false],
    [{ kind: 'client', id: 'c2' }, false],
    [{ kind: 'brand', id: 'brand.example' }, true],
    [owner, true],
    [{ kind: 'organization' }, true],
  ];
  /** An update that stops nothing. */
  const argsOf = (task: string, at: World): JsonObject =>
    task === 'update_media_buy'
      ? { account, media_buy_id: at.mediaBuyId, end_time: '2026-09-01T00:00:00Z' }
      : changing[task]!.args(at);
  const cases = Object.keys(changing).flatMap((task) =>
    scopes.map(([scope, isCovered]) => [task, scope, isCovered] as const),
  );

  it.each(cases)('is acted for by %s with a role in %j: %s', async (task, scope, isCovered) => {
    const at = await world();
    const as = agent(at, scope);
    at.enter('brand.example', 'c1');
    const before = at.heard(task);
    const reply = await at.call(task, keyed(argsOf(task, at)), as);
    if (isCovered) {
      expect(at.heard(task)).toBeGreaterThan(before);
      return;
    }
    expect(at.heard(task)).toBe(before);
    expect(reply.errors).toMatchObject([
      { code: 'PERMISSION_DENIED', message: expect.stringContaining('the scope brand:brand.example') },
    ]);
  });

  it.each(Object.keys(changing))(
    'that nobody entered is acted for by %s with the scope own',
    async (task) => {
      const at = await world();
      const before = at.heard(task);
      await at.call(task, keyed(argsOf(task, at)), agent(at));
      expect(at.heard(task)).toBeGreaterThan(before);
    },
  );

  it('is refused in any spelling, and beside a brand that is covered', async () => {
    const at = await world(true, true);
    at.enter('brand.example', 'c1');
    at.enter('bolt.example', 'c2');
    const as = agent(at, { kind: 'brand', id: 'bolt.example' });
    const request = at.harness.request(['acme']).args;
    const bolt = { brand: { domain: 'bolt.example' }, operator: 'agency.example' };
    for (const args of [
      { ...request, brand: { domain: 'BRAND.example' }, account: bolt },
      { ...request, brand: { domain: 'bolt.example' }, account },
    ]) {
      const { errors } = await at.call('create_media_buy', keyed(args), as);
      expect(errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
    }
  });

  it('has its buys paused and canceled by who made them, and not changed otherwise', async () => {
    const at = await world();
    at.enter('brand.example', 'c1');
    const as = agent(at);
    const update = (change: JsonObject) =>
      at.call('update_media_buy', keyed({ media_buy_id: at.mediaBuyId, ...change }), as);
    const both = await update({ paused: true, end_time: '2026-09-01T00:00:00Z' });
    expect(both.errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
    expect((await update({ paused: false })).errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
    expect((await update({ paused: true })).errors).toEqual([]);
    expect((await update({ canceled: true })).errors).toEqual([]);
  });

  it('gets no account by a row of sync_accounts, and the other rows do', async () => {
    const at = await world();
    at.enter('acme.example', 'c1');
    const rows = ['acme.example', 'new.example'].map((domain) => ({
      ...{ operator: 'agency.example', billing: 'operator', brand: { domain } },
    }));
    const reply = await at.call('sync_accounts', keyed({ accounts: rows }), agent(at));
    expect(reply.body['accounts']).toMatchObject([
      { action: 'failed', errors: [{ code: 'PERMISSION_DENIED', field: 'accounts[0].brand.domain' }] },
      { action: 'created' },
    ]);
    expect(at.changes.flatMap(({ open }) => open.map(({ brandDomain }) => brandDomain))).toEqual([
      'new.example',
    ]);
  });
});

describe('an operator other than the organization', () => {
  it.each(['create_media_buy', 'sync_creatives', 'activate_signal'])(
    'is refused by %s before a seller is called',
    async (task) => {
      const at = await world();
      at.refusesOperator('agency.example');
      const before = at.heard(task);
      const reply = await at.call(task, keyed({ ...changing[task]!.args(at), account }));
      expect(reply.errors).toMatchObject([
        { code: 'PERMISSION_DENIED', field: 'account.operator', details: { reason: 'operator_not_own' } },
      ]);
      expect(at.heard(task)).toBe(before);
    },
  );

  it('can still have a buy updated that was made with it', async () => {
    const at = await world();
    at.refusesOperator('agency.example');
    const reply = await at.call('update_media_buy', keyed(changing['update_media_buy']!.args(at)));
    expect(reply.errors).toEqual([]);
    expect(at.heard('update_media_buy')).toBe(1);
  });

  it('cannot be declared by a row of sync_accounts', async () => {
    const at = await world();
    at.refusesOperator('other.example');
    const row = { billing: 'operator', brand: { domain: 'brand.example' } };
    const accounts = ['other.example', 'agency.example'].map((operator) => ({ ...row, operator }));
    const reply = await at.call('sync_accounts', keyed({ accounts }));
    expect(reply.body['accounts']).toMatchObject([
      { action: 'failed', errors: [{ code: 'PERMISSION_DENIED', field: 'accounts[0].operator' }] },
      { action: 'unchanged' },
    ]);
    expect(at.changes).toEqual([{ open: [], close: [] }]);
  });
});

describe('an account that is used for the first time', () => {
  it('is declared by a request, and not by its preview', async () => {
    const at = await world(false, true);
    const args = changing['sync_creatives']!.args(at);
    const preview = await at.call('sync_creatives', keyed({ ...args, dry_run: true }));
    expect([preview.isError, at.declared]).toEqual([false, []]);
    const done = await at.call('create_media_buy', keyed(changing['create_media_buy']!.args(at)));
    expect([done.isError, at.declared]).toMatchObject([false, [{ brandDomain: 'brand.example' }]]);
  });
});

describe('a governance context on a query', () => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenFor = (aud: string): string => `${part({ alg: 'EdDSA' })}.${part({ aud })}.c2ln`;
  const query = async (task: string, aud: (agentUrl: string) => string, args: JsonObject = {}) => {
    const at = await world();
    const token = tokenFor(aud(at.harness.connection('acme').agentUrl));
    const reply = await at.call(task, { ...args, governance_context: token });
    expect(reply.errors).toEqual([]);
    return JSON.stringify(reply.body['ext'] ?? {}).includes('GOVERNANCE_CONTEXT_NOT_FORWARDED');
  };

  it('that reached no seller is reported beside the answer', async () => {
    const brief = { buying_mode: 'brief', brief: 'coffee', brand: { domain: 'brand.example' } };
    expect(await query('get_products', () => 'https://elsewhere.example/mcp', brief)).toBe(true);
    expect(await query('get_products', (acme) => acme, brief)).toBe(false);
  });

  it('is reported for queries that are sent to sellers in our own format', async () => {
    expect(await query('get_media_buys', (acme) => acme, { account })).toBe(true);
  });
});
