import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { compactVerify, importJWK, type JWK } from 'jose';
import { hashOfBeside, readAnchorDocument, readStreamDocument } from '@switchyard/journal';
import { ledgerFormat, verifyLedgerExport } from '@switchyard/ledger';
import { err, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { openFinance } from '../finance/testkit/finance.js';

const { database, clock, ledger, finance } = await openFinance();

/** The signed contents of the anchors in an export. */
async function readSignedHeads({ anchors }: JsonObject) {
  const faults: unknown[] = [];
  const heads: { readonly number: string; readonly hash: string; readonly besideHash?: string }[] = [];
  for (const { jws, key } of anchors as { readonly jws: string; readonly key: JWK }[]) {
    const { payload } = await compactVerify(jws, await importJWK(key, 'EdDSA'));
    const read = readAnchorDocument(JSON.parse(Buffer.from(payload).toString()) as JsonValue);
    if (read === undefined) faults.push(jws);
    else heads.push({ ...read, number: read.number.toString() });
  }
  return { heads, faults };
}

describe('spend in the reporting currency', () => {
  it('converts each day at its rate or the last one before it, and names every rate', async () => {
    const { buy, run } = await finance(3);
    const rate = (value: string, date: string) =>
      run('set_rate', { body: { from: 'EUR', to: 'USD', rate: value, date, source: 'ECB' } });
    const spend = async (by: string) => {
      const answer = await run('ledger_spend', { query: { by, currency: 'reporting' } });
      return answer.ok ? answer.value['spend'] : answer.error;
    };
    await rate('1.2', '2026-09-02');
    expect(await spend('seller')).toMatchObject({
      code: 'CONFLICT',
      message: 'There is no rate from EUR to USD for 2026-09-01 or a day before it.',
    });
    await rate('1.1', '2026-08-20');
    const rates = [
      { from: 'EUR', date: '2026-08-20', rate: '1.1', source: 'ECB' },
      { from: 'EUR', date: '2026-09-02', rate: '1.2', source: 'ECB' },
    ];
    const expected = {
      currency: 'USD',
      spend: '35',
      originals: [{ currency: 'EUR', spend: '30' }],
      rates,
      rate_total: 2,
    };
    expect(await spend('seller')).toEqual([{ seller: buy.seller, ...expected }]);
    expect(await spend('buy')).toMatchObject([{ media_buy_id: buy.mediaBuyId, ...expected }]);
    expect(await spend('day')).toMatchObject([
      { day: '2026-09-01', spend: '11' },
      { day: '2026-09-02', spend: '12' },
      { day: '2026-09-03', spend: '12' },
    ]);
  });
});

describe('an export of the ledger', () => {
  it('holds its head and the keys of sellers, signed by the organization, with the heads that were signed before', async () => {
    const { report, run } = await finance(1);
    const before = await run('make_ledger_anchor', {});
    await report(1, 2, ['4']);
    const exported = await run('ledger_export', {});
    if (!exported.ok || !before.ok) throw new Error('not exported');
    const document = exported.value;
    expect(document).toMatchObject({ organization: 'agency.example', keys: [] });
    const { heads, faults } = await readSignedHeads(document);
    expect([heads.map(({ number }) => number), faults]).toEqual([
      [(document['head'] as JsonObject)['number'], before.value['number']],
      [],
    ]);
    expect(heads[0]?.besideHash).toBe(hashOfBeside({ organization: 'agency.example', keys: [] }));
    const stream = readStreamDocument(ledgerFormat, document);
    if (!stream.ok) throw new Error(stream.error.field);
    const anchors = heads.map(({ number, hash }) => ({ number: BigInt(number), hash }));
    expect(await verifyLedgerExport(stream.value, anchors)).toMatchObject({ ok: true });
  });
});

describe('spend by account and package', () => {
  it('adds up the versions that count, by every package, day and time of booking', async () => {
    const { buy, read, report, run, select } = await finance(0, ['p1', 'p2']);
    const spend = async (query: Readonly<Record<string, string>>) =>
      (await read('ledger_spend', { query }))['spend'] as readonly JsonObject[];
    await report(0, 1, ['10', '5']);
    await report(1, 2, ['8', '2']);
    const before = new Date(clock.now()).toISOString();
    clock.advance(1);
    // Ten go from one package to the other: no posting says so. And one day is restated.
    await report(0, 1, ['4', '11'], 'pull');
    await report(1, 2, ['9', '2.5'], 'pull');
    const [p1, p2] = buy.packages.map((id) => `${buy.seller}:${id}`);
    const rows = async (query: Readonly<Record<string, string>>) =>
      (await spend(query)).map(({ package_id: id, day, spend: sum }) => [
        id,
        ...(day === undefined ? [] : [day]),
        sum,
      ]);
    expect(await rows({ by: 'package' })).toEqual([
      [p1, '13'],
      [p2, '13.5'],
    ]);
    expect(await rows({ by: 'package,day' })).toEqual([
      [p1, '2026-09-01', '4'],
      [p1, '2026-09-02', '9'],
      [p2, '2026-09-01', '11'],
      [p2, '2026-09-02', '2.5'],
    ]);
    expect(await rows({ by: 'package', from: '2026-09-02', to: '2026-09-03' })).toEqual([
      [p1, '9'],
      [p2, '2.5'],
    ]);
    const swapped = { by: 'package', from: '2026-09-03', to: '2026-09-02' };
    for (const id of ['ledger_spend', 'export_spend'] as const)
      expect(await run(id, { query: swapped })).toMatchObject(err({ code: 'INVALID_REQUEST', field: 'to' }));
    expect(await rows({ by: 'package', as_of: before })).toEqual([
      [p1, '18'],
      [p2, '7'],
    ]);
    const [row] = await select<{ account: string }>(
      `select coalesce(c.account ->> 'account_id', coalesce(m.brand ->> 'domain', '') || ' by ' || coalesce(m.operator, '')) as account
       from media_buy m, connection c where c.slug = $1`,
      [buy.seller],
    );
    for (const by of ['account', 'account,package', 'account,package,month', 'account,buy,package,day']) {
      const found = await spend({ by });
      const [raw] = await select<{ sum: string }>(
        'select sum(spend_micros)::text as sum from report_version where is_current',
      );
      const sum = found.reduce((total, item) => total + BigInt(Math.round(Number(item['spend']) * 1e6)), 0n);
      expect([by, sum.toString()]).toEqual([by, raw?.sum]);
      expect(found.every(({ account }) => account === row?.account)).toBe(true);
    }
    await select(`update seller_buy set account_id = 'acc_of_the_client' where media_buy_id = $1`, [
      buy.mediaBuyId,
    ]);
    expect(await spend({ by: 'account' })).toEqual([
      { seller: buy.seller, account: 'acc_of_the_client', spend: '26.5', currency: 'EUR' },
    ]);
    expect(await spend({ by: 'account', seller: 'another' })).toEqual([]);
    expect(await spend({ by: 'seller', seller: buy.seller })).toHaveLength(1);
  });

  it('names client and account beside each entry of a buy', async () => {
    const { buy, run, addClient } = await finance(1);
    const clientId = await addClient();
    const read = await run('ledger_entries', { params: { id: buy.mediaBuyId } });
    expect(read).toMatchObject(
      ok({ entries: [{ client_id: clientId, client: expect.any(String), campaign: null, account: null }] }),
    );
  });

  it('counts by UTC days where summer time and a year end, also for an organization in Berlin', async () => {
    const { organizationId, report, run, select } = await finance(0);
    await select(`update organization set time_zone = 'Europe/Berlin' where id = $1`, [organizationId]);
    // From the first of September on: 24 to 26 October, 31 December and 1 January.
    for (const day of [53, 54, 55, 121, 122]) await report(day, day + 1, String(day));
    const spend = async (by: string) => {
      const answer = await run('ledger_spend', { query: { by, from: '2026-10-24', to: '2027-01-02' } });
      const rows = (answer.ok ? answer.value['spend'] : []) as readonly Record<string, string>[];
      return rows.map((row) => `${row[by] ?? ''} ${row['spend'] ?? ''}`).sort();
    };
    expect(await spend('day')).toEqual([
      '2026-10-24 53',
      '2026-10-25 54',
      '2026-10-26 55',
      '2026-12-31 121',
      '2027-01-01 122',
    ]);
    expect(await spend('week')).toEqual(['2026-10-19 107', '2026-10-26 55', '2026-12-28 243']);
    expect(await spend('month')).toEqual(['2026-10 162', '2026-12 121', '2027-01 122']);
  });

  it('answers not found for the entries of a missing buy, or of one out of scope', async () => {
    const { anna, buy, call } = await finance(1);
    const entries = (id: string, caller = anna) => call(caller, 'ledger_entries', { params: { id } });
    const missing = err({ code: 'NOT_FOUND', message: 'There is no media buy with this id.' });
    expect(await entries('mb_nobody')).toMatchObject(missing);
    const scope = { kind: 'client', id: randomUUID() } as const;
    const narrow = { ...anna, grants: [{ permissions: { ledger: ['read'] }, scope }] as const };
    expect(await entries(buy.mediaBuyId, narrow)).toMatchObject(missing);
    expect(await entries(buy.mediaBuyId)).toMatchObject({ ok: true });
  });

  it('posts late figures of a closed month on the first open day', async () => {
    const { buy, read, bring, reconcile, close, report, select } = await finance(1, ['p1', 'p2']);
    await bring('INV-1', '10');
    await reconcile();
    expect(await close()).toMatchObject({ ok: true });
    await report(0, 1, ['7', '6'], 'pull');
    const answer = await read('ledger_spend', { query: { by: 'package,day' } });
    const posted = await select<{ day: string; sum: string }>(
      `select day, sum(amount_micros)::text as sum from ledger_posting where account = 'media_spend' group by 1 order by 1`,
    );
    const found = answer['spend'] as readonly JsonObject[];
    const byDay = posted.map(({ day }) =>
      found.filter((row) => row['day'] === day).reduce((sum, row) => sum + Number(row['spend']) * 1e6, 0),
    );
    expect(byDay.map(String)).toEqual(posted.map(({ sum }) => sum));
    expect(posted.length).toBe(2);
    expect(found.map((row) => row['package_id'])).toContain(`${buy.seller}:${buy.packages[1] ?? ''}`);
  });
});

describe('a ledger that is archived in part', () => {
  it('refuses requests that need archived entries and names the month, also beside the entries of a buy', async () => {
    const { organizationId, buy, read, run } = await finance();
    const head = await ledger.head({ organizationId });
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query(`select set_config('switchyard.organization_id', $1, false)`, [organizationId]);
    await owner.query(
      `insert into ledger_archive (organization_id, before, number, hash, entry_total, sealed_at, sums, files, archived_at)
       values ($1, '2026-10', $2, $3, $4, $5, '{}', '{}', now())`,
      [
        organizationId,
        head.number.toString(),
        head.hash,
        head.entryTotal.toString(),
        new Date(head.sealedAt),
      ],
    );
    await owner.end();
    const refused = (field?: string) =>
      err(
        expect.objectContaining({
          code: 'CONFLICT',
          message: expect.stringContaining('before 2026-10 are archived'),
          ...(field === undefined ? {} : { field }),
        }),
      );
    const params = { period: '2026-09' };
    const past = new Date(head.sealedAt - 1).toISOString();
    expect(await run('reopen_period', { params, body: {} })).toEqual(refused('period'));
    expect(await run('export_journal', { body: { ...params, format: 'csv' } })).toEqual(refused('period'));
    expect(await run('reconcile', { body: params })).toEqual(refused('period'));
    expect(await run('ledger_spend', { query: { by: 'seller', as_of: past } })).toEqual(refused('as_of'));
    expect(await run('ledger_export', {})).toEqual(refused());
    // What sums and other tables answer is as before.
    expect((await read('ledger_spend', { query: { by: 'month' } }))['spend']).toMatchObject([
      { month: '2026-09' },
    ]);
    const now = new Date(clock.now() + 1).toISOString();
    expect((await read('ledger_spend', { query: { as_of: now } }))['spend']).toMatchObject([
      { spend: '300' },
    ]);
    expect(await read('ledger_entries', { params: { id: buy.mediaBuyId } })).toMatchObject({
      archived_before: '2026-10',
    });
  });
});
