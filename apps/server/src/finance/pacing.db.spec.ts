import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import { openFinance } from './testkit/finance.js';

const { finance } = await openFinance();

describe('pacing', () => {
  it('compares delivery with the plan to date, shows each caller only their campaigns, and reports problems', async () => {
    const { organizationId, anna, buy, call, addClient, select } = await finance(10);
    const clientId = await addClient();
    const campaignId = randomUUID();
    await select(
      `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, budget_micros, plan, starts_on,
           ends_on, created_at, updated_at)
         values ($1, $2, $3, 'nova.example', 'Autumn', 'EUR', 1000000000, '{"2026-09": "600000000"}', '2026-09-01',
           '2026-10-10', now(), now())`,
      [campaignId, organizationId, clientId],
    );
    await select('update media_buy set campaign_id = $2 where id = $1', [buy.mediaBuyId, campaignId]);
    await select(
      `insert into spend_total (organization_id, kind, key, month, currency, pending_micros, committed_micros)
         values ($1, 'campaign', $2, '', 'GBP', 5000000, 7000000)`,
      [organizationId, campaignId],
    );
    const pacing = async (query: Record<string, string>, caller = anna) => {
      const answer = await call(caller, 'list_pacing', { query });
      return answer.ok ? (answer.value['pacing'] as readonly JsonObject[]) : [];
    };
    const [row] = await pacing({ campaign_id: campaignId, days: 'true' });
    // 20 a day in September, 40 a day in October; ten a day were delivered for ten days.
    expect(row).toMatchObject({
      campaign: 'Autumn',
      through: '2026-09-10',
      planned: '1000',
      planned_through: '200',
      delivered: '100',
      difference_percent: '-50',
      forecast: '100',
      committed: '0',
      not_converted: [{ currency: 'GBP', committed: '7', pending: '5', delivered: '0' }],
    });
    expect((row?.['alerts'] as readonly JsonObject[]).map(({ code }) => code)).toEqual([
      'no_report_for_days',
      'behind',
    ]);
    const names = [
      'planned',
      'committed',
      'pending',
      'ordered',
      'delivered',
      'forecast',
      'not_converted',
      'alerts',
    ];
    const figures = Object.fromEntries(names.map((name) => [name, row?.[name]]));
    const listed = must(await call(anna, 'list_campaigns', { query: {} }))['campaigns'];
    expect(listed).toMatchObject([{ campaign_id: campaignId, figures }]);
    const shown = await call(anna, 'show_campaign', { params: { id: campaignId } });
    expect(must(shown)['figures']).toEqual(figures);
    const days = row?.['days'] as readonly JsonObject[];
    expect([days.length, days[0], days.at(-1)]).toEqual([
      40,
      { day: '2026-09-01', planned: '20', delivered: '10' },
      { day: '2026-10-10', planned: '40', delivered: '0' },
    ]);
    expect(await pacing({ by: 'buy', campaign_id: campaignId })).toMatchObject([
      { media_buy_id: buy.mediaBuyId, planned: '1000', delivered: '100' },
    ]);
    const narrow = (id: string) => ({
      ...anna,
      grants: [{ permissions: { ledger: ['read'] }, scope: { kind: 'client', id } }] as const,
    });
    const missing = err({ code: 'NOT_FOUND', field: 'campaign_id' });
    const requested = (id: string, caller = anna) =>
      call(caller, 'list_pacing', { query: { campaign_id: id } });
    for (const id of [randomUUID(), 'nobody']) expect(await requested(id)).toMatchObject(missing);
    expect(await requested(campaignId, narrow(randomUUID()))).toMatchObject(missing);
    expect(await requested(campaignId, narrow(clientId))).toMatchObject({ ok: true });
    for (const by of ['campaign', 'buy']) {
      expect(await pacing({ by }, narrow(clientId))).toHaveLength(1);
      expect(await pacing({ by }, narrow(randomUUID()))).toEqual([]);
    }
  });

  it('is listed in both orders, page by page, also where campaigns changed at one time', async () => {
    const { organizationId, anna, call, select } = await finance(0);
    const [clientId, ...ids] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await select(
      `insert into client (id, organization_id, name, created_at, updated_at) values ($1, $2, 'Nova', now(), now())`,
      [clientId, organizationId],
    );
    for (const [at, id] of ids.entries())
      await select(
        `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, plan, starts_on, ends_on,
           created_at, updated_at)
         values ($1, $2, $3, 'nova.example', 'Autumn', 'EUR', '{}', '2026-09-01', '2026-10-10', $4, $4)`,
        [id, organizationId, clientId, at === 2 ? '2026-09-02' : '2026-09-01'],
      );
    const walk = async (sort: string) => {
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: '1', sort, ...(cursor !== undefined && { cursor }) };
        const page = must(await call(anna, 'list_pacing', { query }));
        found.push(...(page['pacing'] as readonly JsonObject[]).map((row) => row['campaign_id']));
        cursor = page['next_cursor'] as string | undefined;
      } while (cursor !== undefined);
      return found;
    };
    const newest = await walk('newest');
    expect(newest).toEqual([ids[2], ...ids.slice(0, 2).sort()]);
    expect(await walk('oldest')).toEqual(newest.toReversed());
  });

  it.each([
    // The year's last day in New York, to its end.
    ['2026-12-31T00:00:00-05:00', '2027-01-01T00:00:00-05:00', '2026-12-31', '2027-01-01'],
    ['2026-12-31T23:30:00-05:00', '2027-01-31T00:00:00Z', '2027-01-01', '2027-01-30'],
    // The day in Berlin on which summer time ends has 25 hours.
    ['2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00', '2026-10-24', '2026-10-25'],
    ['2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z', '2026-12-31', '2026-12-31'],
  ])('takes the UTC days of a buy from %s until before %s', async (start, end, startsOn, endsOn) => {
    const { anna, buy, call, select } = await finance(1);
    const set = 'update media_buy set start_time = $2, end_time = $3 where id = $1';
    await select(set, [buy.mediaBuyId, start, end]);
    const answer = await call(anna, 'list_pacing', { query: { by: 'buy' } });
    expect(answer).toMatchObject(ok({ pacing: [{ starts_on: startsOn, ends_on: endsOn }] }));
  });
});
