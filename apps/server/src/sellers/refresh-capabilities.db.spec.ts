import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  alarmRepository,
  capabilityVersions,
  connectionDirectory,
  governanceCases,
  nightlyRuns,
  onboardingRuns,
  organizations,
  sellerAccounts,
  sellerLife,
} from '@switchyard/store';
import { createConnection, createScope } from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { WorkerDeps } from '../platform/lanes/worker-deps.js';
import { lookAtSellers } from './look-at-sellers.js';
import { refreshCapabilities } from './refresh-capabilities.js';
import { specInbox } from '../webhooks/testkit/inbox.js';

/** The refresh of sellers' capabilities, while some sellers are unreachable. */
const minuteMs = 60_000;
const inbox = await specInbox();
afterAll(() => inbox.close());

const product: JsonObject = {
  product_id: 'p1',
  name: 'Front page',
  description: 'The top of the front page.',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example/', id: 'display' }],
  delivery_type: 'non_guaranteed',
  delivery_measurement: { provider: 'Counts' },
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions'],
    date_range_support: 'date_range',
  },
};

/** A tenant with unreachable sellers, whose slugs come first, and with others that answer. */
async function market(dead: number, alive: number, isSandbox = true) {
  const scope = await createScope(inbox.store);
  const requested = new Map<string, number>();
  const deaf = new Set<string>();
  const slugOf = new Map<string, string>();
  const says = {
    idempotency: true,
    versions: ['3.0', '3.1'],
    /** Status of the one account there, in which a client buys. */
    account: 'active',
    products: [product],
  };
  const calls = new Set<string>();
  /** Instants at which a seller was asked for its products. */
  const reads = new Map<string, number[]>();
  let listings = 0;
  const alarms = alarmRepository(inbox.store, inbox.clock);
  for (let index = 0; index < dead + alive; index += 1) {
    const slug = `seller-${String(index).padStart(4, '0')}`;
    const { id } = await createConnection(inbox.store, scope.organizationId, { slug, isSandbox });
    slugOf.set(id, slug);
    if (index < dead) deaf.add(slug);
  }
  const ports: WorkerDeps['ports'] = {
    ...inbox.deps.ports,
    transport: {
      ...inbox.deps.ports.transport,
      listTools: ({ connectionId }) => {
        const slug = slugOf.get(connectionId) ?? '';
        requested.set(slug, (requested.get(slug) ?? 0) + 1);
        return Promise.resolve(
          deaf.has(slug)
            ? err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)
            : ok({ get_products: [], get_adcp_capabilities: [], list_accounts: [] }),
        );
      },
      call: ({ connectionId }, { tool }) => {
        calls.add(tool);
        if (tool === 'get_products')
          reads.set(connectionId, [...(reads.get(connectionId) ?? []), inbox.clock.now()]);
        if (tool === 'list_accounts') listings += 1;
        return Promise.resolve(
          ok({
            payload: {
              accounts: [{ account_id: 'acc_1', name: 'Ours', status: says.account }],
              products: says.products,
              adcp: {
                major_versions: [3],
                supported_versions: says.versions,
                idempotency: says.idempotency
                  ? { supported: true, replay_ttl_seconds: 86_400 }
                  : { supported: false },
              },
              supported_protocols: ['media_buy'],
            },
            isError: false,
          }),
        );
      },
    },
  };
  const looked = {
    ports,
    alarms,
    connections: connectionDirectory(inbox.store),
    sellerAccounts: sellerAccounts(inbox.store),
    life: sellerLife(inbox.store),
    capabilityVersions: capabilityVersions(inbox.store),
    cases: governanceCases(inbox.store),
    publishers: { of: () => Promise.resolve(() => ({ state: 'authorized' }) as const) },
    nightlyRuns: nightlyRuns(inbox.store),
    organizations: organizations(inbox.store),
    gate: {
      ...{ clock: inbox.clock, connections: connectionDirectory(inbox.store), newId: randomUUID },
      ...{ transport: ports.transport, lease: ports.lease, onboardingRuns: onboardingRuns(inbox.store) },
      domainOf: () => Promise.resolve('buyer.example'),
      egress: {
        checkUrl: () => Promise.resolve(ok(undefined)),
        request: () => Promise.resolve(err({ code: 'unresolved', message: '', delivered: 'no' } as const)),
      },
      sellerKeys: {
        inspect: () =>
          Promise.resolve(
            err({
              code: 'jwks_untrusted',
              details: { jwks_uri: '', http_status: null, dns_error: null, last_attempt_at: '' },
            } as const),
          ),
      },
    } as const,
    clock: inbox.clock,
    onUnexpected: (error: unknown): never => {
      throw error;
    },
  };
  return {
    requested,
    deaf,
    says,
    drifts: async () =>
      (await alarms.list(scope, { isOpen: true })).filter(({ kind }) => kind === 'capability_drift'),
    versions: async () => {
      const [seller] = await inbox.deps.connections.list(scope);
      return capabilityVersions(inbox.store).of(scope, seller?.id ?? '');
    },
    scope,
    look: () => lookAtSellers(looked, scope, new AbortController().signal),
    reads,
    calls,
    nightly: async () => {
      const [seller] = await inbox.deps.connections.list(scope);
      return looked.nightlyRuns.find(scope, seller?.id ?? '');
    },
    failed: async () =>
      (await alarms.list(scope, { isOpen: true }))
        .filter(({ kind }) => kind === 'seller_check_failed')
        .map(({ detail }) => detail),
    listings: () => listings,
    life: looked.life,
    alarms: async (isOpen: boolean) =>
      (await alarms.list(scope, { isOpen })).map(({ kind, detail, acknowledged }) => [
        kind,
        detail['measures'] ?? detail['accounts'] ?? '',
        ...(acknowledged === undefined ? [] : [acknowledged.by]),
      ]),
    refresh: () => refreshCapabilities({ ...inbox.deps, ports, alarms }, scope),
    fresh: async () =>
      (await inbox.deps.connections.list(scope)).filter(
        ({ capabilitiesAt }) => inbox.clock.now() - (capabilitiesAt ?? 0) < 15 * minuteMs,
      ).length,
  };
}

describe('the capabilities of sellers', () => {
  it('are refreshed for every seller, even after many unreachable ones', async () => {
    const { refresh, fresh, requested } = await market(40, 12);
    for (let round = 0; round < 3; round += 1) await refresh();
    expect(await fresh()).toBe(12);
    expect(requested.size).toBe(52);
  });

  it('are refreshed for a thousand sellers before the first one is due again', async () => {
    const { refresh, fresh, requested } = await market(0, 1_000);
    // One visit in ten seconds.
    let rounds = 0;
    while ((await refresh()) > 0) {
      rounds += 1;
      inbox.clock.advance(10_000);
    }
    expect(rounds * 10_000).toBeLessThan(15 * minuteMs);
    expect(await fresh()).toBe(1_000);
    expect([...requested.values()].every((times) => times === 1)).toBe(true);
  });

  it('that break what was built on the former ones raise one alarm with what changed, and others none', async () => {
    const { refresh, says, drifts, versions } = await market(0, 1);
    await refresh();
    says.versions = ['3.0', '3.1', '3.2'];
    inbox.clock.advance(15 * minuteMs);
    await refresh();
    expect(await drifts()).toEqual([]);
    says.idempotency = false;
    says.versions = ['3.1'];
    inbox.clock.advance(15 * minuteMs);
    await refresh();
    expect(await drifts()).toMatchObject([
      {
        subject: 'seller seller-0000',
        detail: {
          changes:
            'It no longer speaks release 3.0. It no longer speaks release 3.2. It no longer honours idempotency keys.',
        },
      },
    ]);
    // Read again without a change, there is no further version.
    inbox.clock.advance(15 * minuteMs);
    await refresh();
    expect((await versions()).map(({ asks, changes }) => [asks, changes[0]?.grade])).toEqual([
      [true, 'breaking'],
      [false, 'notable'],
      [false, undefined],
    ]);
  });

  it('are refreshed after growing pauses while a seller is unreachable, and at the usual pace once it answers', async () => {
    const { refresh, requested, deaf, fresh } = await market(1, 0);
    const times = (): number => requested.get('seller-0000') ?? 0;
    const pauses: number[] = [];
    await refresh();
    for (let failure = 1; failure <= 8; failure += 1) {
      const before = times();
      let minutes = 0;
      while (times() === before) {
        inbox.clock.advance(minuteMs);
        minutes += 1;
        await refresh();
      }
      pauses.push(minutes);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    deaf.clear();
    inbox.clock.advance(60 * minuteMs);
    await refresh();
    expect(await fresh()).toBe(1);
    inbox.clock.advance(15 * minuteMs);
    const before = times();
    await refresh();
    expect(times()).toBe(before + 1);
  });
});

describe('the look at a seller each hour', () => {
  it('raises an alarm of a measure beyond its threshold, which ends by itself when the value is within it', async () => {
    const { scope, refresh, says, look, life, alarms, versions } = await market(0, 1);
    await refresh();
    await look();
    expect(await alarms(true)).toEqual([]);
    says.idempotency = false;
    inbox.clock.advance(60 * minuteMs);
    await refresh();
    inbox.clock.advance(60 * minuteMs);
    await look();
    const breach = ['scorecard_breach', 'breaking_changes is above 0'];
    expect(await alarms(true)).toContainEqual(breach);
    const [seller] = await inbox.deps.connections.list(scope);
    // A threshold of this seller alone, over that of the organization.
    await life.setThreshold(scope, { measure: 'breaking_changes', value: 0 });
    await life.setThreshold(scope, { measure: 'breaking_changes', value: 1, sellerId: seller?.id ?? '' });
    inbox.clock.advance(120 * minuteMs);
    await look();
    expect(await alarms(true)).not.toContainEqual(breach);
    expect(await alarms(false)).toEqual([[...breach, 'switchyard']]);
    // The same breach, once more, is an alarm again and not counted on the one that has ended.
    await life.setThreshold(scope, {
      measure: 'breaking_changes',
      value: undefined,
      sellerId: seller?.id ?? '',
    });
    inbox.clock.advance(120 * minuteMs);
    await look();
    expect(await alarms(true)).toContainEqual(breach);
    expect(await versions()).toHaveLength(2);
  });

  it('reads its accounts once an hour at an instant of its own, and at once when an event says so', async () => {
    const { look, listings, scope } = await market(0, 2);
    expect(await look()).toBe(2);
    expect(listings()).toBe(2);
    const looksIn = async (minutes: number): Promise<number> => {
      let looks = 0;
      for (let minute = 0; minute < minutes; minute += 1) {
        inbox.clock.advance(minuteMs);
        looks += await look();
      }
      return looks;
    };
    await looksIn(66);
    const before = listings();
    expect(await looksIn(180)).toBe(6);
    const [seller] = await inbox.deps.connections.list(scope);
    await inbox.deps.connections.readSoon(scope, seller?.id ?? '', 'look', inbox.clock.now());
    expect([await look(), listings() - before]).toEqual([1, 7]);
  });
});

describe('the nightly checks of a live seller', () => {
  const hourMs = 60 * minuteMs;
  const hourOf = (at: number): number => new Date(at).getUTCHours();
  const dayMs = 24 * hourMs;
  /** Goes to the next 23:20, and from there through a night with a look each twenty minutes. */
  const night = async (look: () => Promise<number>): Promise<void> => {
    const evening = 23 * hourMs + 20 * minuteMs;
    inbox.clock.advance((evening - (inbox.clock.now() % dayMs) + dayMs) % dayMs);
    for (let step = 0; step < 22; step += 1) {
      await look();
      inbox.clock.advance(20 * minuteMs);
    }
  };

  it('run once in each night, in an hour of its own, and only read', async () => {
    const { look, reads, nightly, failed, calls } = await market(0, 8, false);
    await night(look);
    const first = [...reads.values()];
    expect(first.map((times) => times.length)).toEqual(Array(8).fill(1));
    const hours = first.flat().map(hourOf);
    expect(Math.max(...hours)).toBeLessThan(6);
    expect(new Set(hours).size).toBeGreaterThan(1);
    await night(look);
    expect([...reads.values()].map((times) => times.length)).toEqual(Array(8).fill(2));
    expect(await nightly()).toMatchObject({
      state: 'passed',
      checks: [
        { key: 'address', state: 'passed' },
        { key: 'reach.mcp', state: 'passed' },
        { key: 'reach.a2a', state: 'skipped' },
        { key: 'reach.connector', state: 'skipped' },
        { key: 'metadata', state: 'passed' },
        { key: 'authorise', state: 'skipped' },
        { key: 'capabilities', state: 'passed' },
        { key: 'keys', state: 'skipped' },
        { key: 'accounts', state: 'passed' },
        { key: 'read.mcp', state: 'passed' },
        { key: 'read.a2a', state: 'skipped' },
        { key: 'read.connector', state: 'skipped' },
      ],
    });
    expect([...calls]).toEqual(expect.arrayContaining(['get_adcp_capabilities', 'get_products']));
    expect([...calls].every((tool) => tool.startsWith('get_') || tool === 'list_accounts')).toBe(true);
    expect(await failed()).toEqual([]);
  });

  it('raise an alarm of answers that are wrong, which a night without an answer neither raises nor ends', async () => {
    const { look, says, deaf, nightly, failed, reads } = await market(0, 1, false);
    await night(look);
    deaf.add('seller-0000');
    await night(look);
    expect([await failed(), (await nightly())?.state]).toEqual([[], 'unanswered']);
    deaf.clear();
    says.products = [];
    await night(look);
    const told = [
      expect.objectContaining({
        checks: 'read.mcp: It answered, and offers no product for a general question.',
        next: 'Send the report to the seller: switchyard sellers report seller-0000. Then try again.',
      }),
    ];
    expect([await failed(), (await nightly())?.state]).toEqual([told, 'failed']);
    deaf.add('seller-0000');
    await night(look);
    expect([await failed(), (await nightly())?.state]).toEqual([told, 'unanswered']);
    deaf.clear();
    says.products = [product];
    await night(look);
    expect([await failed(), (await nightly())?.state]).toEqual([[], 'passed']);
    expect([...reads.values()].flat()).toHaveLength(3);
  });

  it('leave out a seller that was added the evening before, that is suspended, and the practice market', async () => {
    const { scope, look, reads, life } = await market(0, 2, false);
    const practice = await market(0, 1);
    const [added, suspended] = await inbox.deps.connections.list(scope);
    const run = {
      input: 'a.example',
      state: 'live',
      checks: [],
      digest: '',
      startedBy: randomUUID(),
    } as const;
    await life.suspend(scope, suspended?.id ?? '', { reason: 'Asks.', drains: false }, inbox.clock.now());
    const evening = inbox.clock.now() + ((22 * hourMs - (inbox.clock.now() % dayMs) + dayMs) % dayMs);
    await onboardingRuns(inbox.store).save(scope, {
      ...run,
      ...{ connectionId: added?.id ?? '', updatedAt: evening },
    });
    await night(look);
    await night(practice.look);
    expect([reads.size, practice.reads.size]).toEqual([0, 0]);
  });

  it('store what the seller says of itself, and tell what breaks', async () => {
    const { look, refresh, says, drifts, versions } = await market(0, 1, false);
    await refresh();
    says.idempotency = false;
    await night(look);
    expect((await drifts()).map(({ detail }) => detail['changes'])).toEqual([
      'It no longer honours idempotency keys.',
    ]);
    expect(await versions()).toHaveLength(2);
  });
});
