/**
 * Pages of 50 of the lists of buys, events and audit entries, through their routes without HTTP: the first page and the
 * hundredth (or the last), for callers with the whole organization and with narrow scopes. One organization has 100,000
 * rows of each, among others. The rows are made by SQL; fsync is off. The floor: a SELECT of the rows by their index.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import * as storeModule from '@switchyard/store';
import { createOrganization, createPrincipal, createTestDatabase } from '@switchyard/testing';
import { allPermissions } from '@switchyard/tenancy';
import { clientIdOf, makeRows } from './lists-rows.mjs';
import { quantile } from './statistics.mjs';

const { adminRoutes } = await import(new URL('../../apps/server/dist/main/routes.js', import.meta.url));

const pageRows = 50;
const measured = [
  {
    name: 'buys',
    route: 'list_buys',
    floor: `select * from media_buy order by created_at desc, id limit ${pageRows}`,
  },
  {
    name: 'events',
    route: 'list_events',
    floor: `select * from inbox_event order by received_at desc, id desc limit ${pageRows}`,
  },
  {
    name: 'events as the console reads them',
    route: 'list_events',
    query: { counts: 'no' },
    floor: `select * from inbox_event order by received_at desc, id desc limit ${pageRows}`,
  },
  {
    name: 'audit',
    route: 'list_audit',
    floor: `select * from audit_event order by at desc, id desc limit ${pageRows}`,
    isWide: true,
  },
];

export async function lists({ quick }) {
  const [size, others, each] = quick ? [10_000, 99, 20] : [100_000, 999, 100];
  const database = await createTestDatabase();
  const store = storeModule.openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  try {
    const { rows } = await owner.query(`select to_regclass('audit_event') is not null as "hasAudit"`);
    const [{ hasAudit }] = rows;
    const { id: organizationId } = await createOrganization(store);
    await makeRows(owner, organizationId, size, hasAudit);
    for (let at = 0; at < others; at += 1)
      await makeRows(owner, (await createOrganization(store)).id, each, hasAudit);
    await owner.query('vacuum analyze');
    const stage = { store, owner, organizationId, deps: depsOf(store), rounds: quick ? 20 : 100 };
    return [await measureAll(stage, { hasAudit, size, others })];
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

/** The dependencies of the three lists' routes, each if this version of the product has it. */
function depsOf(store) {
  const made = (name) => storeModule[name]?.(store);
  return {
    operations: made('operationStore'),
    ledger: made('ledgerStore'),
    events: made('eventLog'),
    inbox: made('inboxWork'),
    audit: made('auditLog'),
    names: made('nameReader'),
    impairments: storeModule.impairments?.(store, made('ledgerStore')),
    clock: { now: () => Date.parse('2026-06-01Z') },
  };
}

async function callersOf({ store, owner, organizationId }) {
  const principal = await createPrincipal(store, organizationId, { permissions: allPermissions });
  const caller = {
    kind: 'principal',
    organizationId,
    principalId: principal.id,
    name: principal.name,
    principalKind: 'person',
    permissions: allPermissions,
    transitional: false,
    legacy: false,
  };
  const brands = (from, to) =>
    Array.from({ length: to - from }, (_, at) => ({ kind: 'brand', id: `brand-${from + at}.example` }));
  const within = (...scopes) => ({
    ...caller,
    grants: scopes.map((scope) => ({ permissions: allPermissions, scope })),
  });
  return {
    'the organization': within({ kind: 'organization' }),
    'one rare brand': within(...brands(199, 200)),
    'one brand': within(...brands(20, 21)),
    '20 brands': within(...brands(100, 120)),
    'one client': within({ kind: 'client', id: await clientIdOf(owner, organizationId, 7) }),
    nothing: within({ kind: 'brand', id: 'nobody.example' }),
  };
}

async function measureAll(stage, { hasAudit, size, others }) {
  const callers = await callersOf(stage);
  const scenario = `pages of ${pageRows} of ${size} rows of one organization among ${others} others, milliseconds`;
  const found = [];
  for (const list of measured) {
    const route = adminRoutes.find(({ id }) => id === list.route);
    if (route === undefined || (list.name === 'audit' && !hasAudit)) {
      found.push({ scenario, contender: list.name, errors: ['not measured: this commit has no such list'] });
      continue;
    }
    const floor = await timed(stage.rounds, () =>
      stage.store.inTenant({ organizationId: stage.organizationId }, (client) => client.query(list.floor)),
    );
    for (const [who, caller] of Object.entries(callers).slice(0, list.isWide ? 1 : undefined))
      found.push(await measure({ stage, list, route, floor, scenario }, who, caller));
  }
  return found;
}

async function measure({ stage, list, route, floor, scenario }, who, caller) {
  const row = { scenario, contender: `${list.name}, ${who}`, errors: [] };
  const page = async (cursor) => {
    const asked = { ...list.query, limit: String(pageRows), ...(cursor !== undefined && { cursor }) };
    const query = route.query?.parse(asked) ?? {};
    const answer = await route.handle(stage.deps, { caller, params: {}, query });
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  try {
    const first = await page();
    const rows = Object.values(first).find(Array.isArray);
    let [cursor, number, next] = [undefined, 1, first.next_cursor];
    while (next !== undefined && number < 100) {
      [cursor, number] = [next, number + 1];
      next = (await page(cursor)).next_cursor;
    }
    const [near, far] = [
      await timed(stage.rounds, () => page()),
      await timed(stage.rounds, () => page(cursor)),
    ];
    return {
      ...row,
      rows: rows.length,
      'first p50': shown(near, 0.5),
      'first p95': shown(near, 0.95),
      'far page': number,
      'far p50': shown(far, 0.5),
      'far p95': shown(far, 0.95),
      'floor p50': shown(floor, 0.5),
      'floor p95': shown(floor, 0.95),
    };
  } catch (error) {
    return { ...row, errors: [`not measured: ${error.message}`] };
  }
}

const shown = (times, share) => quantile(times, share).toFixed(2);

async function timed(rounds, work) {
  const times = [];
  for (let round = -5; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - start);
  }
  return times;
}
