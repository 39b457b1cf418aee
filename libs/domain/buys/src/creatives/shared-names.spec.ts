import { describe, expect, it } from '@jest/globals';
import {
  providePerformanceFeedback,
  reportUsage as usageTask,
  syncCreatives as task,
  type TaskSpec,
} from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, ok, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { applyObservation } from '../apply/apply-observation.js';
import type { Begun } from '../model/operation-store.js';
import { provideFeedback } from '../read/provide-feedback.js';
import { reportUsage } from '../usage/report-usage.js';
import { applyCreativeEvent } from './apply-creative-event.js';
import type { CreativeStore, LibraryCreative, Placement, PlacementSeen } from '../model/creative-library.js';
import { guardMissing } from './guard-missing.js';
import { transportWithBuyerIds } from '../model/buyer-creative-ids.js';
import { endingAt, nameOfLocal } from '../model/name-at-seller.js';
import { planCreatives } from './plan-creatives.js';
import { previewSync } from './preview-sync.js';
import { refreshCreatives } from './refresh-creatives.js';
import { syncAnswer } from './sync-answer.js';
import { syncCreatives } from './sync-creatives.js';
import type { CreativePorts } from '../model/creative-ports.js';
import type { CreativeMutation } from '../model/creative-ports.js';

const format = { agent_url: 'https://formats.example', id: 'banner' };
const spot = { creative_id: 'spot', name: 'Spot', format_id: format, assets: {} };
const profile = { dialect: 'adcp', form: '3.1' } as const;

/** A harness at whose one seller another tenant has `spot`, with a library of our own in which it stands like this. */
async function sharedHarness(placement?: Partial<Placement>) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const connection = harness.connection('acme');
  const ours = nameOfLocal('spot', connection.id);
  const placed: Placement = {
    creativeId: 'spot',
    sellerCreativeId: ours,
    connectionId: connection.id,
    seller: 'acme',
    status: 'processing',
    syncedAt: 1,
    ...placement,
  };
  const stored = { creative: { creativeId: 'spot' }, placements: [placed], assignments: [] };
  const seen: PlacementSeen[] = [];
  const shared = new Set([connection.id]);
  const creatives = {
    byIds: () =>
      Promise.resolve(
        new Map(placement === undefined ? [] : [['spot', stored as unknown as LibraryCreative]]),
      ),
    sharedConnections: () => Promise.resolve(shared),
    packages: () => Promise.resolve(new Map()),
    acceptedPlacements: () => Promise.resolve([placed]),
    active: () => Promise.resolve([]),
    sharesAccount: () => Promise.resolve(false),
    due: () => Promise.resolve([{ ...placed, principalId: harness.principalId }]),
    markPolled: () => Promise.resolve(),
    observe: (_scope: unknown, update: readonly PlacementSeen[]) => Promise.resolve(seen.push(...update)),
  } as unknown as CreativeStore;
  const ports: CreativePorts = {
    ...harness.ports,
    creatives,
  };
  return { harness, connection, ours, ports, seen, shared };
}

function syncOf(harness: BuyingHarness, more: JsonObject = {}): CreativeMutation {
  const args: JsonObject = {
    idempotency_key: 'a-key-of-the-buyer-1',
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    creatives: [spot],
    ext: { switchyard: { sellers: ['acme'] } },
    ...more,
  };
  const read = must(task.readRequest(args, profile, new Map()));
  const { scope, principalId } = harness;
  return { scope, principalId, profile, version: '3.1', request: read, args, deadlineMs: 15_000 };
}

const row = (id: string, more: JsonObject = {}): JsonObject => ({
  creative_id: id,
  action: 'created',
  ...more,
});
const libraryRow = (id: string, more: JsonObject): JsonObject => ({
  creative_id: id,
  name: id,
  format_id: format,
  created_date: '2026-01-01T00:00:00Z',
  updated_date: '2026-01-01T00:00:00Z',
  ...more,
});
const sentTo = (harness: BuyingHarness): readonly unknown[] =>
  harness
    .seller('acme')
    .received.flatMap(({ args }) =>
      ((args['creatives'] ?? []) as JsonObject[]).map(({ creative_id: id }) => id),
    );

describe('a creative whose id another tenant of the account has', () => {
  it('is synced under an id of ours, and only its own row is in the answer', async () => {
    const { harness, connection, ours, ports } = await sharedHarness();
    const says = {
      creatives: [
        row('spot', { action: 'updated', status: 'rejected', errors: [{ code: 'X', message: 'Theirs.' }] }),
        row(ours, { status: 'approved', warnings: [`${ours} is small.`] }),
      ],
    };
    harness.seller('acme').fate('sync_creatives', { says });
    const done = must(await syncCreatives(ports, syncOf(harness)));
    expect(sentTo(harness)).toEqual([ours]);
    expect(syncAnswer(done.state).creatives).toMatchObject([
      { creativeId: 'spot', action: 'created', status: 'approved', warnings: ['spot is small.'] },
    ]);
    const { outbound: _asSent, ...leg } = done.state.legs[0] ?? { outbound: '' };
    expect(JSON.stringify(leg)).not.toContain(endingAt(connection.id));
    expect(JSON.stringify(leg)).not.toContain('Theirs');
  });

  it('has its task updates read in the same way, by webhook and by poll', async () => {
    const { harness, ours, ports } = await sharedHarness();
    harness.seller('acme').fate('sync_creatives', { says: { status: 'submitted', task_id: 't1' } });
    const done = must(await syncCreatives(ports, syncOf(harness)));
    const payload = { creatives: [row('spot', { status: 'rejected' }), row(ours, { status: 'approved' })] };
    for (const source of ['webhook', 'poll'] as const) {
      const reply = { status: 'completed', replayed: false, payload, errors: [] } as const;
      const received = applyObservation(done.state, done.state.legs[0]?.id ?? '', {
        source,
        at: 9,
        reply,
      });
      expect(received.legs[0]?.answer).toEqual({ creatives: [row('spot', { status: 'approved' })] });
    }
  });

  it('is refused with the seller’s text and the buyer’s id in it', async () => {
    const { harness, ours, ports } = await sharedHarness();
    const errors = [{ code: 'CREATIVE_REJECTED', message: `No ${ours}.`, field: `creatives[${ours}]` }];
    harness.seller('acme').fate('sync_creatives', { says: { status: 'failed', errors } });
    const done = await syncCreatives(ports, syncOf(harness));
    expect(done).toMatchObject({
      value: { state: { legs: [{ errors: [{ message: 'No spot.', field: 'creatives[spot]' }] }] } },
    });
  });

  it('is previewed under the id of ours, and the answer shows only its row', async () => {
    const { harness, connection, ours, ports } = await sharedHarness();
    const knowing = { ...connection, tools: { sync_creatives: ['creatives', 'dry_run', 'idempotency_key'] } };
    const connections = { ...ports.connections, list: () => Promise.resolve([knowing]) };
    const says = { dry_run: true, creatives: [row('spot', { action: 'updated' }), row(ours)] };
    harness.seller('acme').fate('sync_creatives', { says });
    const received = await previewSync({ ...ports, connections }, syncOf(harness, { dry_run: true }));
    expect(sentTo(harness)).toEqual([ours]);
    expect(received).toMatchObject({
      value: { findings: [], creatives: [{ creativeId: 'spot', sellers: [{ action: 'created' }] }] },
    });
    expect(JSON.stringify(received)).not.toContain(endingAt(connection.id));
  });

  it('is planned again with an id of ours if the account became shared between the plan and the claim', async () => {
    const { harness, connection, ours, ports, shared } = await sharedHarness();
    shared.clear();
    let claims = 0;
    const begin: CreativePorts['store']['begin'] = (scope, draft): Promise<Begun> => {
      claims += 1;
      if (shared.has(connection.id)) return harness.store.begin(scope, draft);
      shared.add(connection.id);
      return Promise.resolve({ kind: 'taken', creativeId: 'spot', seller: 'acme' });
    };
    harness
      .seller('acme')
      .fate('sync_creatives', { says: { creatives: [row(ours, { status: 'approved' })] } });
    const done = await syncCreatives({ ...ports, store: { ...ports.store, begin } }, syncOf(harness));
    expect([done.ok, claims, sentTo(harness)]).toEqual([true, 2, [ours]]);
  });

  it('gets a conflict if every plan comes too late', async () => {
    const { harness, ports } = await sharedHarness();
    const begin = (): Promise<Begun> =>
      Promise.resolve({ kind: 'taken', creativeId: 'spot', seller: 'acme' });
    const done = await syncCreatives({ ...ports, store: { ...ports.store, begin } }, syncOf(harness));
    expect(done).toMatchObject({ ok: false, error: [{ code: 'CONFLICT', retryAfter: 1 }] });
    expect(JSON.stringify(done)).not.toMatch(/spot|acme|else/);
  });

  it('is read under our id, and nothing of the other tenant is read', async () => {
    const { harness, connection, ours, ports, seen } = await sharedHarness({});
    const creatives = [
      libraryRow('spot', { status: 'approved' }),
      libraryRow(ours, { status: 'rejected', rejection_reason: `${ours} is too small.` }),
    ];
    harness.seller('acme').fate('list_creatives', { says: { creatives, pagination: { has_more: false } } });
    await refreshCreatives(ports, harness.scope, new AbortController().signal);
    expect(harness.seller('acme').received[0]?.args['filters']).toEqual({ creative_ids: [ours] });
    expect(seen).toMatchObject([{ creativeId: 'spot', connectionId: connection.id, status: 'rejected' }]);
    expect(JSON.stringify(seen)).not.toContain(endingAt(connection.id));
  });

  it.each([
    ['under the id of ours', true, 'applied'],
    ['under the plain one, which is theirs', false, 'unknown_creative'],
  ])('is reported by an event %s', async (_how, isOurs, outcome) => {
    const { harness, connection, ours, ports, seen } = await sharedHarness({});
    const event: JsonObject = {
      creative_id: isOurs ? ours : 'spot',
      transition: { from: 'processing', to: 'rejected' },
      reason_detail: `${ours} is too small.`,
    };
    const from = { connectionId: connection.id, receivedAt: 5 };
    expect(await applyCreativeEvent(ports.creatives, harness.scope, from, event)).toBe(outcome);
    expect(seen).toEqual(
      isOurs ? [expect.objectContaining({ creativeId: 'spot', reason: 'spot is too small.' })] : [],
    );
  });

  it('never causes the other’s to be deleted once the account seems to be ours only', async () => {
    const { harness, connection, ours, ports } = await sharedHarness({});
    const guarded = async (rows: readonly JsonObject[]): Promise<readonly string[]> => {
      const says = { creatives: [...rows], pagination: { has_more: false } };
      harness.seller('acme').fate('list_creatives', { says });
      const mutation = syncOf(harness, {
        creatives: [{ ...spot, creative_id: 'new' }],
        delete_missing: true,
      });
      const planned = must(
        planCreatives(mutation.request, {
          connections: [connection],
          library: new Map(),
          packages: new Map(),
          active: [],
          accepted: await ports.creatives.acceptedPlacements(harness.scope, { kind: 'everything' }),
        }),
      );
      return (await guardMissing(ports, mutation, planned, new Map())).legs[0]?.missing ?? [];
    };
    expect(await guarded([libraryRow(ours, { status: 'approved' })])).toEqual(['spot']);
    expect(await guarded([libraryRow('spot', { status: 'approved' })])).toEqual([]);
  });

  it('has our id in feedback and in usage, and so has one that only the other has', async () => {
    for (const placement of [{}, undefined]) {
      const { harness, ours, ports } = await sharedHarness(placement);
      const made = must(await createMediaBuy(harness.ports, harness.request(['acme'])));
      const mediaBuyId = made.state.buy?.id ?? '';
      await provideFeedback(ports, { ...syncOf(harness), ...feedbackOn(mediaBuyId) });
      const account = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
      const usage = usageOf(mediaBuyId);
      const received = await reportUsage(
        {
          ...ports,
          billing: {
            billedElsewhere: () => Promise.resolve([]),
            markBilledElsewhere: () => Promise.resolve(),
          },
        },
        {
          ...syncOf(harness),
          ...usage,
          records: usage.request.records.map((record, at) => ({ at, record, account })),
          errors: [],
          operator: 'agency.example',
        },
      );
      expect(received.ok).toBe(true);
      const arrived = harness.seller('acme').received.slice(-2);
      expect(arrived.map(({ tool }) => tool)).toEqual(['provide_performance_feedback', 'report_usage']);
      expect(arrived[0]?.args['creative_id']).toBe(ours);
      expect(arrived[1]?.args['usage']).toMatchObject([{ creative_id: ours }]);
    }
  });

  it('has the buyer’s id in everything that a seller reports about buys', async () => {
    const { harness, connection, ours, ports } = await sharedHarness({});
    const payload = {
      media_buys: [{ packages: [{ creative_approvals: [{ creative_id: ours }] }], note: `no ${ours}` }],
    };
    harness.seller('acme').fate('get_media_buys', { says: payload });
    const { organizationId, agentUrl, protocol, dialect } = connection;
    const target = { organizationId, connectionId: connection.id, agentUrl, protocol, dialect };
    const call = { tool: 'get_media_buys', args: {} };
    const reported = await transportWithBuyerIds(ports.transport).call(
      target,
      call,
      new AbortController().signal,
    );
    expect(reported).toMatchObject(
      ok({
        payload: {
          media_buys: [{ packages: [{ creative_approvals: [{ creative_id: 'spot' }] }], note: 'no spot' }],
        },
      }),
    );
  });
});

function feedbackOn(mediaBuyId: string) {
  const args: JsonObject = {
    idempotency_key: 'a-key-of-the-buyer-2',
    media_buy_id: mediaBuyId,
    measurement_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    performance_index: 1,
    creative_id: 'spot',
  };
  return { ...requestOf(providePerformanceFeedback, args), args };
}

function usageOf(mediaBuyId: string) {
  const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
  const record = { account, vendor_cost: 1, currency: 'USD', media_buy_id: mediaBuyId, creative_id: 'spot' };
  const args: JsonObject = {
    idempotency_key: 'a-key-of-the-buyer-3',
    reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    usage: [record],
  };
  return { ...requestOf(usageTask, args), args };
}

function requestOf<Request>(
  spec: Pick<TaskSpec<Request, unknown>, 'readRequest'>,
  args: JsonObject,
): { readonly request: Request } {
  const read = must(spec.readRequest(args, profile, new Map()));
  return { request: read };
}
