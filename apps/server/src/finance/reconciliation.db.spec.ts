import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { controlRequests } from '@switchyard/store';
import { allPermissions, type Grant } from '@switchyard/tenancy';
import { err, ok, type JsonObject } from '@switchyard/values';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { finance, store, clock } = await openFinance();

describe('a reconciliation', () => {
  it('accepts an invoice that names several unknown buys', async () => {
    const { run, buy, reconcile } = await finance(0);
    const file = { name: 'i.csv', text: 'media_buy_id,amount\nx,10\ny,20\n' };
    const defaults = { invoice_number: 'I-1', issued_on: '2026-10-02', currency: 'EUR', period: '2026-09' };
    await run('import_invoice', { body: { seller: buy.seller, file, defaults } });
    const found = breaksIn(await reconcile()).map(({ kind, invoiced }) => [kind, invoiced]);
    expect(found.sort()).toEqual([
      ['unknown', '10'],
      ['unknown', '20'],
    ]);
  });

  it('waits for the count of a third party until the deadline of the agreed terms, and takes that of the seller afterwards', async () => {
    const { bring, reconcile, select, buy } = await finance();
    const hour = 3_600_000;
    const hours = Math.ceil((clock.now() - Date.parse('2026-10-01T00:00:00Z')) / hour) + 1;
    const agreed = { vendor: { domain: 'counts.example' }, finalization_deadline_hours: hours };
    await select(
      `update buy_package set terms = jsonb_build_object('quoted', jsonb_build_object('measurement_terms', $1::jsonb))
       where media_buy_id = $2`,
      [JSON.stringify({ billing_measurement: agreed }), buy.mediaBuyId],
    );
    await bring('INV-1', '300');
    const shown = async () =>
      breaksIn(await reconcile()).map(({ kind, state, difference }) => [kind, state, difference]);
    expect(await shown()).toEqual([['third_party', 'open', '0']]);
    clock.advance(2 * hour);
    expect(await shown()).toEqual([]);
    const stored = await select<{ kind: string; state: string }>(
      'select kind, state from reconciliation_break where media_buy_id = $1 order by round',
      [buy.mediaBuyId],
    );
    expect(stored.at(-1)).toEqual({ kind: 'third_party', state: 'resolved' });
  });

  it('names every member of a difference, with null for missing ones', async () => {
    const { bring, reconcile } = await finance(1);
    await bring('INV-1', '350', { mapping: { amount: 'Net' } });
    const [row = {}] = breaksIn(await reconcile());
    const nothing = { client: null, campaign: null, buy: null, package: null, owner: null };
    expect(row).toMatchObject({ ...nothing, invoiced: '350' });
    const others = ['break_id', 'kind', 'seller', 'ordered', 'reported', 'polled', 'currency', 'difference'];
    expect(Object.keys(row)).toEqual(
      expect.arrayContaining([...others, 'cause', 'evidence', 'age_days', 'state']),
    );
  });

  it('of an unknown seller is refused, and not reported as without differences', async () => {
    const { run } = await finance();
    const body = { period: '2026-09', seller: 'nope' };
    expect(await run('reconcile', { body })).toMatchObject(err({ code: 'NOT_FOUND', field: 'seller' }));
  });

  it('reopens a resolved difference only if the difference changes', async () => {
    const { run, bring, reconcile, verify, report } = await finance();
    await bring('INV-1', '350');
    const [row] = breaksIn(await reconcile());
    expect(row).toMatchObject({ kind: 'unknown', invoiced: '350', difference: '50' });
    const again = breaksIn(await reconcile());
    expect(again.map((each) => each['break_id'])).toEqual([row?.['break_id']]);
    const params = { id: textIn(row, 'break_id') };
    await run('comment_break', { params, body: { text: 'asked the seller' } });
    await run('resolve_break', { params, body: { as: 'credit', reason: 'credit note 7' } });
    expect(await run('resolve_break', { params, body: { as: 'accept' } })).toMatchObject(
      err({ code: 'CONFLICT' }),
    );
    expect(breaksIn(await reconcile())).toEqual([]);
    await report(0, 1, '30', 'pull');
    expect(breaksIn(await reconcile()).map((each) => [each['kind'], each['difference']])).toContainEqual([
      'late_report',
      '20',
    ]);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  describe('after a difference of 50 was resolved, and the figures changed', () => {
    const resolved = async () => {
      const department = await finance();
      const { run, bring, reconcile, select, addClient } = department;
      const clientId = await addClient();
      await bring('INV-1', '350');
      const resolve = async (as: string): Promise<void> => {
        const open = breaksIn(await reconcile()).filter(({ kind }) => kind === 'unknown');
        expect(open).toHaveLength(1);
        const params = { id: textIn(open[0], 'break_id') };
        expect(await run('resolve_break', { params, body: { as } })).toMatchObject({ ok: true });
      };
      await resolve('accept');
      /** What is booked on the accounts of invoices and differences, in EUR. */
      const booked = async (): Promise<JsonObject> => {
        const rows = await select<{ account: string; amount: string }>(
          `select account, (sum(amount_micros) / 1000000)::int::text as amount from ledger_balance
           where account <> 'media_spend' group by account having sum(amount_micros) <> 0`,
        );
        return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
      };
      expect(await booked()).toEqual({ seller_invoiced: '-350', invoice_difference: '50' });
      return { ...department, clientId, resolve, booked };
    };

    it('books only the remaining difference', async () => {
      const { report, reconcile, resolve, booked, verify } = await resolved();
      await report(0, 1, '30', 'pull');
      expect(breaksIn(await reconcile())).toContainEqual(
        expect.objectContaining({ kind: 'unknown', difference: '30', state: 'open' }),
      );
      await resolve('credit');
      expect(await booked()).toEqual({ seller_invoiced: '-350', seller_credit: '30' });
      expect(await verify()).toMatchObject({ ok: true, problems: [] });
    });

    it('requests the reversal of the resolution once if no difference is left', async () => {
      const { report, reconcile, resolve, booked, verify } = await resolved();
      await report(0, 1, '60', 'pull');
      const kinds = async () => breaksIn(await reconcile()).map(({ kind, difference }) => [kind, difference]);
      expect(await kinds()).toContainEqual(['unknown', '0']);
      expect(await kinds()).toContainEqual(['unknown', '0']);
      await resolve('corrected');
      expect(await booked()).toEqual({ seller_invoiced: '-350' });
      expect(await kinds()).not.toContainEqual(['unknown', '0']);
      expect(await verify()).toMatchObject({ ok: true, problems: [] });
    });

    it('keeps it resolved in a run with a tolerance that allows it, and in a run without its seller', async () => {
      const { read, run, bring, reconcile, clientId } = await resolved();
      await read('reconcile', { body: { period: '2026-09', tolerance: '60' } });
      expect(breaksIn(await reconcile())).toEqual([]);
      expect(await bring('INV-2', '5', { mapping: { amount: 'Net' } })).toMatchObject({ ok: true });
      const ofClient = await read('reconcile', { body: { period: '2026-09', client_id: clientId } });
      expect(breaksIn(ofClient)).toEqual([]);
      const all = await run('list_breaks', { query: { state: 'open' } });
      expect(all).toMatchObject({ value: { breaks: [] } });
    });

    it('requests the reversal also if another difference was found and disappeared', async () => {
      const { report, reconcile, resolve, booked } = await resolved();
      await report(0, 1, '30', 'pull');
      await reconcile();
      await report(1, 2, '40', 'pull');
      expect(breaksIn(await reconcile())).toContainEqual(
        expect.objectContaining({ kind: 'unknown', difference: '0', state: 'open' }),
      );
      await resolve('corrected');
      expect(await booked()).toEqual({ seller_invoiced: '-350' });
    });
  });

  it('reports nothing for one client about a seller that invoices without naming buys, and keeps its breaks', async () => {
    const { read, bring, addClient } = await finance(3);
    const body = { period: '2026-09', client_id: await addClient() };
    const ofClient = async () => breaksIn(await read('reconcile', { body })).map(({ kind }) => kind);
    expect(await ofClient()).toEqual(['missing_invoice']);
    await bring('INV-1', '30', { mapping: { amount: 'Net' } });
    expect(await ofClient()).toEqual([]);
    const open = breaksIn(await read('list_breaks', { query: { state: 'open' } }));
    expect(open.map(({ kind }) => kind)).toEqual(['missing_invoice']);
  });

  it('returns only the breaks of the named client, and knows no other client', async () => {
    const { organizationId, read, run, bring, select, reconcile, addClient } = await finance(3);
    const [mine, another] = [await addClient(), randomUUID()];
    await select(
      `insert into client (id, organization_id, name, created_at, updated_at) values ($1, $2, 'Other', now(), now())`,
      [another, organizationId],
    );
    const kindsOf = async (client_id: string) =>
      breaksIn(await read('reconcile', { body: { period: '2026-09', client_id } })).map(({ kind }) => kind);
    expect(breaksIn(await reconcile()).map(({ kind }) => kind)).toEqual(['missing_invoice']);
    expect([await kindsOf(mine), await kindsOf(another)]).toEqual([['missing_invoice'], []]);
    // What bills the same lines twice is of no client, and found for the one whose lines they are.
    expect(await bring('INV-1', '30')).toMatchObject({ ok: true });
    expect(await bring('INV-2', '30.00')).toMatchObject({ ok: true });
    expect([await kindsOf(mine), await kindsOf(another)]).toEqual([['duplicate_invoice'], []]);
    const body = { period: '2026-09', client_id: randomUUID() };
    expect(await run('reconcile', { body })).toMatchObject(err({ code: 'NOT_FOUND', field: 'client_id' }));
  });

  it('is invisible to another organization', async () => {
    const { bring, reconcile } = await finance(1);
    await bring('INV-1', '99');
    const [row] = breaksIn(await reconcile());
    const other = await finance(1);
    const params = { id: textIn(row, 'break_id') };
    expect(await other.call(other.anna, 'show_break', { params })).toMatchObject(err({ code: 'NOT_FOUND' }));
    expect(await other.call(other.anna, 'list_invoices')).toEqual(ok({ invoices: [] }));
  });
});

describe('tolerances', () => {
  it('apply by the most specific setting, and the break names it', async () => {
    const { anna, buy, call, run, bring, reconcile, addClient } = await finance();
    const clientId = await addClient();
    await bring('INV-1', '301.5');
    const set = (absolute: string, percent: string, of: JsonObject = {}) =>
      run('set_tolerance', { body: { absolute, percent, ...of } });
    const rules = async () =>
      breaksIn(await reconcile()).map(({ tolerance }) => tolerance as JsonObject | undefined);
    expect(await rules()).toEqual([{ absolute: '0.01', percent: '0', allowed: '0.01', rule: 'default' }]);
    // 0.49 % of 300 is 1.47, 0.50 % is 1.50: the second decimal decides.
    await set('0', '0.49', { seller: buy.seller });
    expect(await rules()).toMatchObject([{ percent: '0.49', allowed: '1.47', rule: 'seller' }]);
    await set('0', '0.5', { seller: buy.seller });
    expect(await rules()).toEqual([]);
    await set('1', '0', { client_id: clientId });
    expect(await rules()).toMatchObject([{ absolute: '1', allowed: '1', rule: 'client' }]);
    const both = await set('2', '0', { client_id: clientId, seller: buy.seller });
    expect(await rules()).toEqual([]);
    const id = both.ok ? textIn(both.value, 'tolerance_id') : '';
    expect(await run('remove_tolerance', { params: { id } })).toEqual(ok({ removed: true }));
    expect(await rules()).toMatchObject([{ rule: 'client' }]);
    expect(await set('1', '0.001')).toMatchObject(err({ field: 'percent' }));
    expect(await set('-1', '0')).toMatchObject(err({ field: 'absolute' }));
    const narrow: readonly Grant[] = [
      { permissions: { ledger: ['read', 'write'] }, scope: { kind: 'client', id: clientId } },
    ];
    const colleague = { ...anna, grants: narrow };
    const body = { absolute: '9', percent: '0' };
    expect(await call(colleague, 'set_tolerance', { body })).toMatchObject(
      err({ code: 'INSUFFICIENT_PERMISSIONS' }),
    );
    expect(await call(colleague, 'set_tolerance', { body: { ...body, client_id: clientId } })).toMatchObject({
      ok: true,
    });
  });
});

describe('agreements', () => {
  const agreed = async (said: JsonObject) => {
    const department = await finance();
    const { run, read, buy, select, organizationId, berta } = department;
    await select('update principal set permissions = $1', [JSON.stringify(allPermissions)]);
    /** An act that waits for the other person, who approves it. */
    const asked = async (what: string, request: Parameters<typeof run>[1]): Promise<void> => {
      expect(await run(what, request)).toMatchObject({ ok: true });
      const [open] = await select<{ id: string }>(`select id from control_request where state = 'open'`);
      const decision = { state: 'approved', by: berta.principalId, at: clock.now() } as const;
      const decided = await controlRequests(store).decide({ organizationId }, open?.id ?? '', decision);
      expect(decided).toEqual({ kind: 'decided' });
    };
    const body = { seller: buy.seller, first_month: '2026-09', reason: 'Contract, page 3.', ...said };
    await asked('set_agreement', { body });
    const booked = async () =>
      Object.fromEntries(
        (
          await select<{ account: string; amount: string }>(
            `select account, trim_scale(sum(amount_micros) / 1000000)::text as amount from ledger_balance
             where account <> 'media_spend' group by account having sum(amount_micros) <> 0`,
          )
        ).map(({ account, amount }) => [account, amount]),
      );
    const list = async () => (await read('list_agreements'))['agreements'] as readonly JsonObject[];
    return { ...department, asked, booked, list };
  };

  it('decide what is owed once two people agree, and what they leave of the delivery is booked once', async () => {
    const { bring, reconcile, booked, list, asked, read, run, verify } = await agreed({
      ...{ commission: '10', bills: 'net' },
    });
    await bring('INV-1', '270');
    expect(breaksIn(await reconcile())).toEqual([]);
    expect(breaksIn(await reconcile())).toEqual([]);
    expect(await booked()).toEqual({ seller_invoiced: '-270', invoice_difference: '-30' });
    const [settled] = breaksIn(await read('list_breaks', { query: { state: 'resolved' } }));
    expect(settled).toMatchObject({ kind: 'gross_net', difference: '-30', resolution: 'accept' });
    const [row = {}] = await list();
    expect(row).toMatchObject({ commission: '10', bills: 'net', first_month: '2026-09' });
    const params = { id: textIn(row, 'agreement_id') };
    const isDue = async () =>
      (await read('show_checklist', { params: { period: '2026-09' } }))['reconciliation_due'];
    expect(await isDue()).toBe(false);
    clock.advance(1_000);
    await asked('end_agreement', { params, body: { last_month: '2026-08' } });
    expect(await isDue()).toBe(true);
    const open = breaksIn(await reconcile()).map(({ kind, difference }) => [kind, difference]);
    expect(open.sort()).toEqual([
      ['gross_net', '0'],
      ['unknown', '-30'],
    ]);
    expect(
      await run('end_agreement', { params: { id: randomUUID() }, body: { last_month: '2026-08' } }),
    ).toMatchObject(err({ code: 'NOT_FOUND' }));
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  it.each([
    [
      'a fee that nobody ordered is found, and disputed by its own account',
      '2',
      { kind: 'unordered_fee', difference: '20' },
    ],
    ['a fee within what was agreed is none', '7', undefined],
  ])('%s', async (_, fees, expected) => {
    const { buy, run, read, reconcile, booked, verify } = await agreed({ fees });
    const order = buy.sellerMediaBuyId ?? '';
    const line = (of: string, text: string, amount: string) =>
      `A-1,2026-10-02,EUR,2026-09,${of},${text},${amount}`;
    const text = ['Invoice,Issued,Currency,Month,Seller buy,Description,Amount']
      .concat(line(order, 'Display', '300.00'), line('', 'Platform fee', '20.00'), '')
      .join('\n');
    const booking = await read('import_invoice', {
      body: { seller: buy.seller, file: { name: 'a.csv', text } },
    });
    expect(booking).toMatchObject({ invoices: [{ gross: '320' }] });
    const found = breaksIn(await reconcile());
    expect(found).toMatchObject(expected === undefined ? [] : [expected]);
    if (expected === undefined) return;
    const body = { break_id: textIn(found[0], 'break_id'), reason: 'It was not ordered.' };
    const id = textIn(await read('open_dispute', { body }), 'dispute_id');
    expect(await booked()).toEqual({ seller_invoiced: '-320', disputed: '20' });
    const closed = { params: { id }, body: { outcome: 'accepted', reason: 'It is in the contract.' } };
    expect(await run('close_dispute', closed)).toMatchObject({ ok: true });
    expect(await booked()).toEqual({ seller_invoiced: '-320', seller_fees: '20' });
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  it('are ten thousand at most, so that a comparison reads all of them', async () => {
    const { run, buy, select, organizationId, anna } = await finance(0);
    await select('update principal set permissions = $1', [JSON.stringify(allPermissions)]);
    await select(
      `insert into agreement (organization_id, id, seller, is_capped, first_month, reason, set_by, set_at)
       select $1::uuid, gen_random_uuid(), $2, true, '2026-09', 'A test.', $3::uuid, now() from generate_series(1, 10000)`,
      [organizationId, buy.seller, anna.principalId],
    );
    const body = { seller: buy.seller, capped: true, first_month: '2026-09', reason: 'A test.' };
    expect(await run('set_agreement', { body })).toMatchObject(err({ code: 'CONFLICT' }));
  });

  it.each([
    ['seller', { seller: 'of-nobody', capped: true }],
    ['commission', { commission: '100', bills: 'net' }],
    ['bills', { bills: 'net' }],
    ['fees', { fees: '1.234' }],
    ['last_month', { capped: true, last_month: '2026-08' }],
  ])('with a wrong %s are refused', async (field, said) => {
    const { run, buy } = await finance(0);
    const body = { seller: buy.seller, first_month: '2026-09', reason: 'A test.', ...said };
    expect(await run('set_agreement', { body })).toMatchObject(err({ field }));
  });
});
