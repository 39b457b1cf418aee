import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createPrincipal, createScope, makeOperation, openTestStore } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { readMigrations } from './read-migrations.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
await owner.connect();
afterAll(() => owner.end());
afterAll(stop);

const { sql } = readMigrations().find(({ name }) => name.endsWith('_one_spelling_of_a_brand'))!;
const notices: string[] = [];
owner.on('notice', ({ message }) => notices.push(message ?? ''));

async function migrate(): Promise<void> {
  await owner.query('begin');
  await owner.query(sql);
  await owner.query('commit');
}

/** A tenant with rows as an earlier version stored them. */
async function tenant() {
  const scope = await createScope(store);
  const add = async (table: string, row: Record<string, unknown>): Promise<string> => {
    const all: Record<string, unknown> = { id: randomUUID(), organization_id: scope.organizationId, ...row };
    const names = Object.keys(all);
    const values = names.map((_, index) => `$${String(index + 1)}`);
    await store.inTenant(scope, (client) =>
      client.query(
        `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`,
        Object.values(all),
      ),
    );
    return String(all['id']);
  };
  const rows = (text: string) =>
    store.inTenant(scope, async (client) => (await client.query<Record<string, unknown>>(text)).rows);
  return { scope, add, rows, principal: await createPrincipal(store, scope.organizationId) };
}

type Tenant = Awaited<ReturnType<typeof tenant>>;
const [older, newer] = [new Date('2026-01-01'), new Date('2026-02-01')];

const limit = ({ add }: Tenant, key: string, amount: number, more: Record<string, unknown> = {}) =>
  add('spending_limit', {
    ...{ kind: 'brand', key, amount_micros: amount * 1_000_000, currency: 'USD', above: 'refuse' },
    ...{ created_at: older, ...more },
  });

const limitsOf = async ({ rows }: Tenant) =>
  (
    await rows(`select key, amount_micros / 1000000 as amount, currency, above from spending_limit
      where removed_at is null order by amount_micros, currency`)
  ).map(({ key, amount, currency, above }) => [key, Number(amount), currency, above]);

/** A brand of a client of its own. */
const brand = async ({ add }: Tenant, domain: string, at = older) => {
  const written = { created_at: at, updated_at: at };
  const client = await add('client', { name: domain, sellers: [], ...written });
  return add('brand', { client_id: client, domain, brand_id: '', name: '{}', ...written });
};

describe('a limit that was stored for www.acme.example', () => {
  async function begin({ scope, principal }: Tenant, amount: bigint, brandDomain = 'acme.example') {
    const made = makeOperation(scope, { sellers: ['acme'], packagesPerLeg: 1, principalId: principal.id });
    const { kind } = await operationStore(store).begin(scope, {
      ...made,
      operation: { ...made.operation, brandDomain },
      buy: { ...made.buy, brandDomain },
      spend: {
        parts: [{ legId: made.legs[0]?.id ?? '', seller: 'acme', amount, currency: 'USD' }],
        quotes: [],
      },
    });
    return kind;
  }

  it('refuses a buy for acme.example above it, with what was bought under the old spelling', async () => {
    const one = await tenant();
    expect(await begin(one, 600_000_000n, 'www.acme.example')).not.toBe('over');
    await limit(one, 'www.acme.example', 1000);
    await migrate();
    expect(await begin(one, 401_000_000n)).toBe('over');
    expect(await begin(one, 399_000_000n)).not.toBe('over');
  });

  it('becomes one with that of acme.example: the stricter holds', async () => {
    const [one, other] = [await tenant(), await tenant()];
    await limit(one, 'www.acme.example', 500, { created_at: newer });
    await limit(one, 'acme.example', 1000);
    await limit(other, 'WWW.acme.example.', 1000);
    await limit(other, 'acme.example', 500, { created_at: newer });
    await migrate();
    for (const each of [one, other])
      expect(await limitsOf(each)).toEqual([['acme.example', 500, 'USD', 'refuse']]);
  });

  it('stays beside that of acme.example where neither is surely stricter: both hold', async () => {
    const one = await tenant();
    await limit(one, 'www.acme.example', 500, { above: 'ask' });
    await limit(one, 'acme.example', 1000);
    await limit(one, 'www.acme.example', 700, { currency: 'EUR' });
    await migrate();
    expect(await limitsOf(one)).toEqual([
      ['acme.example', 500, 'USD', 'ask'],
      ['acme.example', 700, 'EUR', 'refuse'],
      ['acme.example', 1000, 'USD', 'refuse'],
    ]);
    // No rate from USD was entered: the limit in EUR lets nothing through.
    expect(await begin(one, 1_000_000n)).toBe('no_rate');
  });
});

describe('a spelling of a brand that was stored before', () => {
  it('is folded in roles, brands, buys and agents; a role that was given twice is one', async () => {
    const one = await tenant();
    const { add, rows, principal } = one;
    const grant = (scope_id: string, created_at: Date) =>
      add('access_grant', {
        ...{ principal_id: principal.id, role: 'trader', scope_kind: 'brand', scope_id, created_at },
      });
    await grant('www.acme.example', older);
    await grant('acme.example', newer);
    await brand(one, 'www.acme.example');
    await rows(`update principal set brand_domain = 'www.acme.example'`);
    await migrate();
    expect(await rows('select scope_id from access_grant where removed_at is null')).toEqual([
      { scope_id: 'acme.example' },
    ]);
    expect(await rows('select domain from brand')).toEqual([{ domain: 'acme.example' }]);
    expect(await rows('select brand_domain from principal')).toEqual([{ brand_domain: 'acme.example' }]);
  });

  it('of a second client stays as it is and is named; a role for it covers the first client no more than before', async () => {
    const one = await tenant();
    const { add, rows, principal } = one;
    await brand(one, 'acme.example', newer);
    const second = await brand(one, 'www.acme.example');
    await add('access_grant', {
      ...{ principal_id: principal.id, role: 'trader', scope_kind: 'brand', scope_id: 'www.acme.example' },
      created_at: older,
    });
    await limit(one, 'www.acme.example', 500);
    await migrate();
    expect(await rows('select domain from brand order by domain')).toEqual([
      { domain: 'acme.example' },
      { domain: 'www.acme.example' },
    ]);
    expect(await rows('select scope_id from access_grant')).toEqual([{ scope_id: 'www.acme.example' }]);
    expect(notices).toContainEqual(expect.stringContaining(second));
    expect(await limitsOf(one)).toEqual([['acme.example', 500, 'USD', 'refuse']]);
  });

  it('of an account keeps a hold, whichever spelling had it', async () => {
    const { add, rows, principal } = await tenant();
    const account = (brand_domain: string, hold?: string) =>
      add('principal_account', {
        ...{ principal_id: principal.id, brand_domain, operator: 'ours.example', created_at: older },
        ...(hold !== undefined && { hold, hold_reason: 'unpaid', held_at: older }),
      });
    await account('www.acme.example', 'suspended');
    await account('acme.example');
    await account('www.bolt.example');
    await migrate();
    expect(await rows('select brand_domain, hold from principal_account order by brand_domain')).toEqual([
      { brand_domain: 'acme.example', hold: 'suspended' },
      { brand_domain: 'bolt.example', hold: null },
      { brand_domain: 'www.acme.example', hold: 'suspended' },
    ]);
  });
});
