import { afterAll, describe, expect, it } from '@jest/globals';
import {
  alarmRepository,
  capabilityVersions,
  connectionDirectory,
  governanceCases,
  sellerAccounts,
  sellerLife,
} from '@switchyard/store';
import { createConnection, createScope } from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import type { WorkerDeps } from '../platform/lanes/worker-deps.js';
import { lookAtSellers } from './look-at-sellers.js';
import { refreshCapabilities } from './refresh-capabilities.js';
import { specInbox } from '../webhooks/testkit/inbox.js';

/** The refresh of sellers' capabilities, while some sellers are unreachable. */
const minuteMs = 60_000;
const inbox = await specInbox();
afterAll(() => inbox.close());

/** A tenant with unreachable sellers, whose slugs come first, and with others that answer. */
async function market(dead: number, alive: number) {
  const scope = await createScope(inbox.store);
  const requested = new Map<string, number>();
  const deaf = new Set<string>();
  const slugOf = new Map<string, string>();
  const says = {
    idempotency: true,
    versions: ['3.0', '3.1'],
    /** Status of the one account there, in which a client buys. */
    account: 'active',
  };
  let listings = 0;
  const alarms = alarmRepository(inbox.store, inbox.clock);
  for (let index = 0; index < dead + alive; index += 1) {
    const slug = `seller-${String(index).padStart(4, '0')}`;
    const { id } = await createConnection(inbox.store, scope.organizationId, { slug });
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
      call: (_seller, { tool }) => {
        if (tool === 'list_accounts') listings += 1;
        return Promise.resolve(
          ok({
            payload: {
              accounts: [{ account_id: 'acc_1', name: 'Ours', status: says.account }],
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
    look: () => lookAtSellers(looked, scope),
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
