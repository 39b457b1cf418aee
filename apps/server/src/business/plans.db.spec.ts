import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { clientRepository, listReader, openStore, planRepository, readFirstDeeds } from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { builtInRoles, type GrantScope } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { planRoutes } from './plans.routes.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const clients = clientRepository(store);
const deps = { lists: listReader(store), plans: planRepository(store), clients, clock, newId: randomUUID };
const call = callRoutes(planRoutes, deps);

const line = (budget: string, currency = 'USD', seller = 'harbor') => ({
  ...{
    product_id: `${seller}:p`,
    pricing_option_id: 'cpm',
    name: 'Riders',
    seller,
    price: '18.55',
    model: 'cpm',
  },
  ...{ currency, minimum: '', formats: [], budget, bid: '', is_auction: false },
});
const content = (...lines: readonly object[]) => ({ start: '', end: '2027-01-31', by_month: false, lines });
const organization: GrantScope = { kind: 'organization' };

async function team() {
  const { id: organizationId } = await createOrganization(store);
  const trader = async (scope: GrantScope = organization) => ({
    ...principalCaller(await createPrincipal(store, organizationId)),
    grants: [{ role: 'trader', permissions: builtInRoles['trader'] ?? {}, scope }],
  });
  type Caller = Awaited<ReturnType<typeof trader>>;
  const add = async (by: Caller, body: object) => {
    const made = await call(by, 'add_plan', { body: { name: 'Winter push', ...body } });
    const id = made.ok ? made.value['plan_id'] : undefined;
    return typeof id === 'string' ? id : '';
  };
  const show = (by: Caller, id: string) => call(by, 'show_plan', { params: { id } });
  const change = (by: Caller, id: string, body: object) => call(by, 'change_plan', { params: { id }, body });
  const names = async (by: Caller) => {
    const found = await call(by, 'list_plans', { query: {} });
    const plans = found.ok ? found.value['plans'] : [];
    return (Array.isArray(plans) ? plans : []).map((plan) => isJsonObject(plan) && plan['name']);
  };
  return { trader, add, show, change, names };
}

it('a plan is shown to nobody but who made it, until it is shared with those whose reach it is in', async () => {
  const { trader, add, show, change, names } = await team();
  const [tina, ben] = [await trader(), await trader()];
  const ofBrand = await trader({ kind: 'brand', id: 'lakeside.example' });
  const ofOther = await trader({ kind: 'brand', id: 'rival.example' });
  const version = 1;
  const id = await add(tina, { brand: 'lakeside.example', content: content(line('12000')) });
  expect(await names(tina)).toEqual(['Winter push']);
  expect([await names(ben), await names(ofBrand)]).toEqual([[], []]);
  expect(await show(ben, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect(await change(ben, id, { version, name: 'Mine' })).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect(await change(tina, id, { version, shared: true })).toMatchObject({
    value: { shared: true, version: 2 },
  });
  expect([await names(ben), await names(ofBrand), await names(ofOther)]).toEqual([
    ['Winter push'],
    ['Winter push'],
    [],
  ]);
  expect(await change(tina, id, { version: 2, shared: false })).toMatchObject({ ok: true });
  expect(await names(ben)).toEqual([]);
});

it('a change of a plan that somebody changed meanwhile is refused, and changes nothing', async () => {
  const { trader, add, show, change } = await team();
  const [tina, ben] = [await trader(), await trader()];
  const id = await add(tina, { shared: true, content: content(line('12000')) });
  expect(await change(ben, id, { version: 1, name: 'Of Ben' })).toMatchObject({ value: { version: 2 } });
  expect(await change(tina, id, { version: 1, content: content() })).toMatchObject({
    error: { code: 'CONFLICT', field: 'version' },
  });
  expect(await show(tina, id)).toMatchObject({
    value: { name: 'Of Ben', lines: 1, changed_by: expect.any(String) },
  });
});

it('the sums of its lines stand beside it by currency, exactly, and currencies are not added', async () => {
  const { trader, add, show } = await team();
  const tina = await trader();
  const lines = [line('0.1'), line('0.2', 'USD', 'corvus'), line('7', 'EUR'), line('')];
  const id = await add(tina, { content: content(...lines) });
  expect(await show(tina, id)).toMatchObject({
    value: { totals: { USD: '0.3', EUR: '7' }, sellers: ['corvus', 'harbor'], lines: 4, content: { lines } },
  });
});

it('a plan for a brand that the caller may not buy for is not stored', async () => {
  const { trader, names } = await team();
  const ofBrand = await trader({ kind: 'brand', id: 'lakeside.example' });
  const body = { name: 'Theirs', brand: 'rival.example' };
  expect(await call(ofBrand, 'add_plan', { body })).toMatchObject({
    error: { code: 'INSUFFICIENT_PERMISSIONS', field: 'brand' },
  });
  expect(await names(ofBrand)).toEqual([]);
});

it('a plan that became a buy is bought, and one that is removed is gone', async () => {
  const { trader, add, show, change, names } = await team();
  const tina = await trader();
  const id = await add(tina, { content: content(line('5')) });
  expect(await change(tina, id, { version: 1, media_buy_id: 'mb_1' })).toMatchObject({
    value: { state: 'bought', media_buy_id: 'mb_1' },
  });
  expect(await call(tina, 'remove_plan', { params: { id } })).toMatchObject({ value: { removed: true } });
  expect(await show(tina, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect(await names(tina)).toEqual([]);
});

it('the first steps are ticked by what is stored: a plan over the budget of its campaign, and then its repair', async () => {
  const { id: organizationId } = await createOrganization(store);
  const tina = {
    ...principalCaller(await createPrincipal(store, organizationId)),
    grants: [{ role: 'trader', permissions: builtInRoles['trader'] ?? {}, scope: organization }],
  };
  const scope = { organizationId };
  const done = async () => [...(await readFirstDeeds(store, scope))];
  const campaignId = randomUUID();
  await store.inTenant(scope, async (client) => {
    await client.query(
      `insert into client (id, organization_id, name, created_at, updated_at) values ($1, $2, 'Nova', now(), now())`,
      [campaignId, organizationId],
    );
    await client.query(
      `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, budget_micros, starts_on,
         ends_on, created_at, updated_at)
       values ($1, $2, $1, 'nova.example', 'Spring', 'USD', 1000000000, '2026-11-01', '2026-11-30', now(), now())`,
      [campaignId, organizationId],
    );
  });
  expect(await done()).toEqual([]);
  const lines = (budget: string) =>
    content(line(budget), line(budget, 'USD', 'corvus'), line(budget, 'USD', 'lumen'));
  const body = { name: 'Push', brand: 'nova.example', campaign_id: campaignId, content: lines('400') };
  const made = await call(tina, 'add_plan', { body });
  expect(made).toMatchObject({ ok: true });
  expect(await done()).toEqual(['plan_over_budget']);
  const id = made.ok && typeof made.value['plan_id'] === 'string' ? made.value['plan_id'] : '';
  await call(tina, 'change_plan', { params: { id }, body: { version: 1, content: lines('300') } });
  expect(await done()).toEqual(['plan_over_budget', 'repair_plan']);
});
