import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { daysOfPeriod } from '@switchyard/ledger';
import { eventLog, spendBy } from '@switchyard/store';
import type { Grant } from '@switchyard/tenancy';
import { createPrincipal } from '@switchyard/testing';
import { err, must, ok } from '@switchyard/values';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { store, clock, ledger, finance } = await openFinance();

describe('a month of finance', () => {
  it('books an invoice once, matches it, closes the month and verifies', async () => {
    const { organizationId, anna, berta, buy, call, run, bring, report, reconcile, close, verify } =
      await finance();
    const dry = await bring('INV-1', '300', { dry_run: true });
    expect(dry).toMatchObject(ok({ invoice_id: null, lines: 1, total: '300', currency: 'EUR' }));
    expect(await bring('INV-1', '300')).toMatchObject(ok({ invoice_id: expect.any(String) }));
    for (const same of ['INV-1', ' INV-1 '])
      expect(await bring(same, '300')).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await reconcile()).toEqual({ matched: 1, breaks: [] });
    expect(await run('list_accruals', { params: { period: '2026-09' } })).toEqual(
      ok({ accruals: [], unbilled: [] }),
    );
    expect(await close()).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await verify()).toMatchObject({ ok: true, problems: [] });

    // A figure that comes late goes to the open month, and names the closed one.
    clock.advance(1);
    await report(29, 30, '12', 'pull');
    const byMonth = await spendBy(
      store,
      { organizationId },
      { by: ['month'], reach: { kind: 'everything' } },
    );
    expect(byMonth).toEqual([
      { month: '2026-09', currency: 'EUR', amount: '300000000' },
      { month: '2026-10', currency: 'EUR', amount: '2000000' },
    ]);
    const entries = await ledger.entriesOf({ organizationId }, buy.mediaBuyId);
    expect(entries.at(-1)?.facts['closed_periods']).toEqual(['2026-09']);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });

    // Two people open it again.
    const reopen = (by: PrincipalCaller) =>
      call(by, 'reopen_period', { params: { period: '2026-09' }, body: { reason: 'a late credit' } });
    expect(await reopen(anna)).toEqual(
      ok({ period: '2026-09', state: 'closed', waits_for: 'another_person' }),
    );
    expect(await reopen(anna)).toMatchObject(err({ code: 'CONFLICT' }));
    // Who asked takes it back, and a request that nobody answers ends: nobody opens the month alone by it.
    const shown = async () => must(await call(anna, 'show_period', { params: { period: '2026-09' } }));
    const withdraw = (by: PrincipalCaller) =>
      call(by, 'withdraw_reopening', { params: { period: '2026-09' } });
    expect(await shown()).toMatchObject({
      reopen_asked_by: anna.principalId,
      reopen_reason: 'a late credit',
    });
    expect(await withdraw(anna)).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await withdraw(anna)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await reopen(berta)).toMatchObject(ok({ waits_for: 'another_person' }));
    clock.advance(72 * 3_600_000);
    expect(await shown()).not.toHaveProperty('reopen_asked_by');
    expect(await withdraw(anna)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await reopen(anna)).toMatchObject(ok({ waits_for: 'another_person' }));
    const agent = { ...berta, principalId: (await createPrincipal(store, organizationId)).id };
    await store.inTenantModels({ organizationId }, async ({ principal_identity }) => {
      const account = { organization_id: organizationId, issuer: 'https://login.example', subject: 'anna' };
      for (const [principal_id, kind] of [
        [anna.principalId, 'sign_in'],
        [agent.principalId, 'jwt'],
      ] as const)
        await principal_identity.create({
          data: { id: randomUUID(), principal_id, kind, ...account, created_at: new Date() },
        });
    });
    const made = { ...berta, principalId: randomUUID() };
    await store.inTenantModels({ organizationId }, ({ principal }) =>
      principal.create({
        data: {
          ...{ id: made.principalId, organization_id: organizationId, name: 'made', kind: 'person' },
          ...{ permissions: {}, created_at: new Date(), held_by: [anna.principalId] },
        },
      }),
    );
    for (const other of [agent, made]) expect(await reopen(other)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await reopen(berta)).toEqual(ok({ period: '2026-09', state: 'open' }));
  });

  it('accrues uninvoiced delivery, reverses it on the next day, and keeps the books in balance', async () => {
    const { organizationId, anna, berta, call, run, bring, reconcile, close, verify } = await finance(3);
    const [missing] = breaksIn(await reconcile());
    expect(missing).toMatchObject({
      kind: 'missing_invoice',
      difference: '-30',
      reported: '30',
      state: 'open',
    });
    expect(await close()).toMatchObject(err({ code: 'CONFLICT' }));
    const id = textIn(missing, 'break_id');
    const body = { as: 'accept', reason: 'the invoice comes in October' };
    expect(await run('resolve_break', { params: { id }, body })).toMatchObject(
      ok({ state: 'resolved', resolution: 'accept', resolved_by: anna.name }),
    );
    expect(await run('list_accruals', { params: { period: '2026-09' } })).toMatchObject(
      ok({ accruals: [{ currency: 'EUR', amount: '30' }] }),
    );
    expect(await close()).toEqual(ok({ period: '2026-09', state: 'closed' }));
    for (const period of ['2026-09', '2026-10'])
      expect(await run('list_accruals', { params: { period } })).toMatchObject(
        ok({ accruals: [{ currency: 'EUR', amount: '30' }] }),
      );
    expect(await verify()).toMatchObject({ ok: true, problems: [] });

    // Opened again and invoiced in part, the month leaves the rest alone.
    const body9 = { params: { period: '2026-09' }, body: { reason: 'the invoice is here' } };
    expect(await call(anna, 'reopen_period', body9)).toMatchObject({ ok: true });
    expect(await call(berta, 'reopen_period', body9)).toMatchObject({ ok: true });
    expect(await bring('INV-9', '20')).toMatchObject({ ok: true });
    for (const row of breaksIn(await reconcile()).filter(({ state }) => state === 'open'))
      await run('resolve_break', {
        params: { id: textIn(row, 'break_id') },
        body: { ...body, as: 'corrected' },
      });
    expect(await close()).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await run('list_accruals', { params: { period: '2026-09' } })).toMatchObject(
      ok({ accruals: [{ currency: 'EUR', amount: '10' }] }),
    );
    const { rows } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ day: string; micros: string }>(
        `select day, sum(amount_micros)::text as micros from ledger_balance
         where organization_id = $1 and account = 'accrued' group by day order by day`,
        [organizationId],
      ),
    );
    expect(rows).toEqual([
      { day: '2026-09-30', micros: '-10000000' },
      { day: '2026-10-01', micros: '10000000' },
    ]);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  it('is listed from the first figure or invoice on, and only months with some are listed', async () => {
    const { run, bring, close, reconcile } = await finance();
    const listed = async () => {
      const found = await run('list_periods', {});
      return found.ok ? (found.value['periods'] as { period: string; state: string }[]) : [];
    };
    expect(await listed()).toEqual([{ period: '2026-09', state: 'open' }]);
    const july = { invoice_number: 'INV-2', issued_on: '2026-08-02', period: '2026-07', currency: 'EUR' };
    expect(await bring('INV-2', '300', { defaults: july })).toMatchObject({ ok: true });
    expect(await listed()).toEqual([
      { period: '2026-09', state: 'open' },
      { period: '2026-07', state: 'open' },
    ]);
    expect(await bring('INV-1', '300')).toMatchObject({ ok: true });
    expect(await reconcile()).toMatchObject({ breaks: [] });
    expect(await close()).toMatchObject({ ok: true });
    expect(await listed()).toMatchObject([
      { period: '2026-09', state: 'closed' },
      { period: '2026-07', state: 'open' },
    ]);
  });

  it('is closed only after its end, and the last possible month never is', async () => {
    const { anna, call } = await finance(0);
    for (const [period, code] of [
      ['2026-10', 'CONFLICT'],
      ['9999-12', 'INVALID_REQUEST'],
    ] as const)
      expect(await call(anna, 'close_period', { params: { period }, body: {} })).toMatchObject(err({ code }));
  });

  it('hides its totals, open points and accruals from readers of only a part of the organization', async () => {
    const { anna, call } = await finance(1);
    const grants: readonly Grant[] = [
      { permissions: { ledger: ['read'] }, scope: { kind: 'client', id: randomUUID() } },
    ];
    expect(await call({ ...anna, grants }, 'list_periods', {})).toEqual(ok({ periods: [] }));
    const refused = err({ code: 'INSUFFICIENT_PERMISSIONS' });
    for (const id of ['show_checklist', 'list_accruals'] as const)
      expect(await call({ ...anna, grants }, id, { params: { period: '2026-09' } })).toMatchObject(refused);
  });

  it('cannot be closed with an approval permission in a narrower scope, with any read permission', async () => {
    const { anna, call } = await finance(1);
    const grants: readonly Grant[] = [
      { permissions: { ledger: ['read'] }, scope: { kind: 'organization' } },
      { permissions: { ledger: ['read', 'approve'] }, scope: { kind: 'brand', id: 'acme.example' } },
    ];
    const params = { period: '2026-09' };
    const refused = err({ code: 'INSUFFICIENT_PERMISSIONS' });
    const narrow = { ...anna, grants };
    expect(await call(narrow, 'close_period', { params, body: {} })).toMatchObject(refused);
    expect(await call(narrow, 'reopen_period', { params, body: { reason: 'r' } })).toMatchObject(refused);
    expect(await call(narrow, 'list_accruals', { params })).toMatchObject({ ok: true });
    const rate = { from: 'EUR', to: 'USD', rate: '1.1', date: '2026-09-01', source: 'ECB' };
    expect(await call(narrow, 'set_rate', { body: rate })).toMatchObject(refused);
  });
});

describe('the steps of a close', () => {
  it('have an owner and a day, and who says that one is done does not close the period', async () => {
    const { anna, berta: ben, call, bring, reconcile } = await finance();
    expect(await bring('INV-1', '300')).toMatchObject({ ok: true });
    expect(await reconcile()).toMatchObject({ breaks: [] });
    const params = { period: '2026-09' };
    const set = (who: typeof anna, body: object) => call(who, 'set_close_step', { params, body });
    expect(await set(anna, { step: 'accruals', owner_id: randomUUID() })).toMatchObject(
      err({ code: 'INVALID_REQUEST', field: 'owner_id' }),
    );
    expect(
      await set(anna, { step: 'accruals', owner_id: anna.principalId, due_on: '2026-10-05' }),
    ).toMatchObject(ok({ steps: [{ step: 'accruals', owner_id: anna.principalId, due_on: '2026-10-05' }] }));
    expect(await set(anna, { step: 'accruals', done: true })).toMatchObject(
      ok({ steps: [{ due_on: '2026-10-05', done_by_id: anna.principalId }] }),
    );
    expect(await call(anna, 'close_period', { params, body: {} })).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await call(anna, 'show_period', { params })).toMatchObject(ok({ state: 'open' }));
    expect(await call(ben, 'close_period', { params, body: {} })).toMatchObject(ok({ state: 'closed' }));
  });
});

describe('a period before its close', () => {
  it('waits for quarantined reports that arrived in it, or that arrived later and concern its days', async () => {
    const { organizationId, buy, read, select } = await finance(0);
    const listed = async (period: string) => {
      const filter = { state: 'quarantined', period: daysOfPeriod(period), limit: 10 } as const;
      return (await eventLog(store).list({ organizationId }, filter)).length;
    };
    const holdBack = (receivedAt: string, body: string) =>
      select(
        `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body, body_hash,
           verdict, state, received_at)
         values ($1, $2, 'none', $3, 'seller', 'delivery_report', '[]', $5, 'x', '{}', 'quarantined', $4)`,
        [randomUUID(), organizationId, buy.connectionId, receivedAt, Buffer.from(body)],
      );
    const report = (start: string, end: string) =>
      JSON.stringify({ status: 'completed', result: { currency: 'EUR', reporting_period: { start, end } } });
    const waiting = async (period: string) => {
      const { quarantined_events: count } = await read('show_checklist', { params: { period } });
      // The list that the checklist leads to has the webhooks that it counts.
      expect(await listed(period)).toBe(count);
      return count;
    };
    await holdBack('2026-10-03', report('2026-10-01T00:00:00Z', '2026-10-02T00:00:00Z'));
    expect([await waiting('2026-09'), await waiting('2026-10')]).toEqual([0, 1]);
    await holdBack('2026-10-03', report('2026-09-30T00:00:00Z', '2026-10-01T00:00:00Z'));
    expect([await waiting('2026-09'), await waiting('2026-10')]).toEqual([1, 2]);
    await holdBack('2026-09-20', 'no JSON \u00ff {"reporting_period": {');
    await holdBack('2026-10-03', 'no JSON either {"reporting_period": {"start":');
    expect([await waiting('2026-09'), await waiting('2026-10')]).toEqual([2, 3]);
  });

  it('was reconciled after the last change of its figures, unless the organization allows closing without', async () => {
    const { organizationId, read, bring, reconcile, close, report, select } = await finance(2);
    const due = async () =>
      (await read('show_checklist', { params: { period: '2026-09' } }))['reconciliation_due'];
    const refused = err({ code: 'CONFLICT', message: expect.stringMatching(/not reconciled/) });
    expect(await due()).toBe(true);
    expect(await close()).toMatchObject(refused);
    await bring('INV-1', '20');
    await reconcile();
    expect(await due()).toBe(false);
    await report(1, 2, '11', 'pull');
    expect(await due()).toBe(true);
    await reconcile();
    await bring('INV-2', '1');
    expect(await due()).toBe(true);
    await select('update organization set closes_unreconciled = true where id = $1', [organizationId]);
    expect(await due()).toBe(false);
  });
});
