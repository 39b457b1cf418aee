import { createMediaBuy, type LastFigure } from '@switchyard/buys';
import { openBuyingHarness, type BuyingHarness, withoutPauses } from '@switchyard/testing';
import { isJsonObject, isoOf, must, type JsonObject } from '@switchyard/values';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import { callAtEndpoint } from '../../conformance/testkit/task-endpoints.js';
import { harnessCaller, harnessDeps, marketPorts } from '../../platform/tasks/testkit/harness-call.js';
import { taskService } from '../../main/testkit/task-service.js';

const minute = 60_000;
let http: HttpHarness;
let harness: BuyingHarness;
let buyId: string;
let reportedAt: number;

/** A buy over two sellers of which one has gone silent; what it last reported is 90 minutes old. */
beforeAll(async () => {
  harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const made = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'])));
  buyId = made.state.buy?.id ?? '';
  reportedAt = harness.clock.now() - 90 * minute;
  const last: LastFigure = {
    seller: 'bravo',
    packageRef: 'p1',
    spendMicros: 2_500_000n,
    impressions: 40n,
    asOf: reportedAt,
  };
  const ports = {
    ...marketPorts(harness),
    clock: withoutPauses(harness.clock),
    figures: { deliveredBy: () => Promise.resolve([last]) },
  };
  const service = taskService(harnessDeps(harness, [], { ports }));
  const caller = harnessCaller(harness);
  const tasks = { call: (call: Parameters<typeof service.call>[0]) => service.call({ ...call, caller }) };
  http = await openHttpHarness({}, { tasks });
});
afterAll(() => http.close());

const list = (answer: JsonObject, name: string): readonly JsonObject[] =>
  Array.isArray(answer[name]) ? answer[name].filter(isJsonObject) : [];
const ours = (answer: JsonObject): JsonObject => {
  const ext = isJsonObject(answer['ext']) ? answer['ext'] : {};
  return isJsonObject(ext['switchyard']) ? ext['switchyard'] : answer;
};

async function query(endpoint: 'mcp' | 'a2a' | 'rest', more: JsonObject = {}): Promise<JsonObject> {
  const delivered = {
    reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-03T00:00:00Z' },
    currency: 'USD',
    media_buy_deliveries: [
      { media_buy_id: 'their-1', status: 'active', totals: { spend: 1, impressions: 100 }, by_package: [] },
    ],
  };
  harness.seller('acme').fate('get_media_buy_delivery', { says: delivered });
  harness.seller('bravo').fate('get_media_buy_delivery', 'drop', 'drop');
  const requested = { adcp_version: '3.1', media_buy_ids: [buyId], ...more };
  return callAtEndpoint(endpoint, { url: http.url, token: http.token }, 'get_media_buy_delivery', requested);
}

describe('windows of a period', () => {
  it.each([
    ['are not there where nobody asks for a granularity', {}, false],
    ['are not there beside a granularity alone', { time_granularity: 'daily' }, false],
    ['are not there where no granularity says how long they are', { include_window_breakdown: true }, false],
    [
      'are there for whoever asks for both',
      { time_granularity: 'daily', include_window_breakdown: true },
      true,
    ],
  ])('%s; days always are', async (_what, more, areThere) => {
    const day = { date: '2026-01-01', impressions: 100, spend: 1 };
    const says = (windows: JsonObject): JsonObject => ({
      reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: 'their-1',
          status: 'active',
          totals: { spend: 1, impressions: 100 },
          by_package: [],
          ...windows,
        },
      ],
    });
    for (const slug of ['acme', 'bravo'])
      harness.seller(slug).fate('get_media_buy_delivery', { says: says({ daily_breakdown: [day] }) });
    const requested = { adcp_version: '3.1', media_buy_ids: [buyId], ...more };
    const at = { url: http.url, token: http.token };
    const [row] = list(
      await callAtEndpoint('rest', at, 'get_media_buy_delivery', requested),
      'media_buy_deliveries',
    );
    expect(row).toMatchObject({ daily_breakdown: [{ date: '2026-01-01', spend: 2 }] });
    expect(row !== undefined && 'windows' in row).toBe(areThere);
  });
});

describe.each(['mcp', 'a2a', 'rest'] as const)(
  'delivery of a silent seller at the %s endpoint',
  (endpoint) => {
    it('is its last report, marked STALE_RESPONSE, and the answer has the age of that report', async () => {
      const answer = await query(endpoint);
      expect(list(answer, 'media_buy_deliveries')[0]?.['totals']).toMatchObject({
        spend: 3.5,
        impressions: 140,
      });
      expect(list(answer, 'errors')).toMatchObject([
        {
          code: 'STALE_RESPONSE',
          details: { seller: 'bravo', served_from_cache: true, cache_age_seconds: 90 * 60 },
        },
      ]);
      expect(answer).not.toHaveProperty('adcp_error');
      const { status_as_of: asOf } = ours(answer);
      expect(asOf).toBe(isoOf(reportedAt));
      const rows = list(ours(answer), 'by_seller');
      expect(rows.map((row) => [row['seller'], row['known'], row['spend']])).toEqual([
        ['acme', true, 1],
        ['bravo', true, 2.5],
      ]);
    });

    it('is unknown, not zero, for days that only the seller knows', async () => {
      const answer = await query(endpoint, { start_date: '2026-01-01', end_date: '2026-01-03' });
      expect(list(answer, 'media_buy_deliveries')[0]?.['totals']).toMatchObject({
        spend: 1,
        impressions: 100,
      });
      expect(list(answer, 'errors')).toEqual([]);
      const silent = list(ours(answer), 'by_seller').find((row) => row['seller'] === 'bravo');
      expect(silent).toMatchObject({ known: false });
      expect(silent).not.toHaveProperty('spend');
    });
  },
);
