import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadPorts } from '@switchyard/buys';
import { getMediaBuys } from '@switchyard/protocol';
import type { Connection, PrincipalSigner } from '@switchyard/sellers';
import { err, ok, type JsonObject } from '@switchyard/values';
import { applyInbox } from '../../webhooks/in/apply-inbox.js';
import { followEnds } from '../legs/follow-ends.js';
import { recoverReports, type RecoveryDeps } from './recover-reports.js';
import { report, specInbox, type SpecSeller } from '../../webhooks/testkit/inbox.js';

let seller: SpecSeller;
const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
  inbox.sellerCalls.length = 0;
  inbox.answerWith((tool, args) => answer(tool, args));
});

const minuteMs = 60_000;

/** One day was delivered and never reported. */
function answer(tool: string, args: JsonObject): JsonObject {
  if (tool === 'get_media_buys')
    return {
      media_buys: [
        { media_buy_id: seller.sellerMediaBuyId, status: 'active', currency: 'USD', packages: [] },
      ],
    };
  const day = typeof args['start_date'] === 'string' ? args['start_date'] : '2026-11-01';
  const spend = day === '2026-11-01' ? 10 : 0;
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  const totals = { spend, impressions: spend * 100 };
  return {
    reporting_period: { start: `${day}T00:00:00Z`, end: `${next}T00:00:00Z` },
    currency: 'USD',
    media_buy_deliveries: [
      {
        media_buy_id: seller.sellerMediaBuyId,
        status: 'active',
        totals,
        by_package: [{ ...totals, package_id: seller.packageRef, currency: 'USD' }],
      },
    ],
  };
}

/** The same workers at a seller that declares more capabilities. */
function declaring(more: object, ports: Partial<ReadPorts> = {}): RecoveryDeps {
  const read = (connection: Connection): Connection => {
    const capabilities = connection.capabilities ?? capabilitiesOf();
    return { ...connection, capabilities: { ...capabilities, ...more } };
  };
  const { connections } = inbox.deps.ports;
  return {
    ...inbox.deps,
    ports: {
      ...inbox.deps.ports,
      ...ports,
      connections: {
        ...connections,
        list: async (...query) => (await connections.list(...query)).map(read),
        byId: async (...query) => {
          const found = await connections.byId(...query);
          return found === undefined ? undefined : read(found);
        },
      },
    },
  };
}

function capabilitiesOf(): NonNullable<Connection['capabilities']> {
  return {
    versions: ['3.1'],
    protocols: ['media_buy'],
    publisherDomains: [],
    pricingModels: [],
    idempotency: { supported: false },
    requestSigning: { supported: false, requiredFor: [] },
    webhookSigning: true,
    windowedPullGranularities: [],
  } as unknown as NonNullable<Connection['capabilities']>;
}

const daysAsked = (): readonly unknown[] =>
  inbox.sellerCalls
    .filter(({ args }) => typeof args['start_date'] === 'string')
    .map(({ args }) => args['time_granularity']);

async function look(deps: RecoveryDeps): Promise<void> {
  await recoverReports(deps, inbox.scope);
  inbox.clock.advance(2 * minuteMs + 1);
  await recoverReports(deps, inbox.scope);
}

describe('recovering reports from a seller', () => {
  it('requests slices if they are declared, and else only the range', async () => {
    await look(declaring({ windowedPullGranularities: ['hourly'] }));
    expect(new Set(daysAsked())).toEqual(new Set([undefined]));
    expect(inbox.sellerCalls.length).toBeGreaterThan(1);
    inbox.sellerCalls.length = 0;
    seller = await inbox.seller();
    await look(declaring({ windowedPullGranularities: ['daily'] }));
    expect(daysAsked()).toContain('daily');
  });

  it('counts a report as late after the longest declared delay of the bought products', async () => {
    const offer = {
      seller: seller.connection.slug,
      name: 'CTV',
      pricingOptions: [],
      reportingFrequencies: [],
    };
    await inbox.deps.ports.store.saveOffers(inbox.scope, [
      {
        connectionId: seller.connection.id,
        offer: { ...offer, productId: 'ctv', expectedDelayMinutes: 240, offeredAt: inbox.clock.now() },
      },
    ]);
    const expected = inbox.clock.now() + 60 * minuteMs;
    const result = { next_expected_at: new Date(expected).toISOString() };
    await inbox.post(seller, report(seller, { day: '2026-11-01', spend: 10, result }));
    await applyInbox(inbox.deps, inbox.scope);
    const about = () =>
      inbox.sellerCalls.filter(({ args }) => JSON.stringify(args).includes(seller.sellerMediaBuyId)).length;
    inbox.clock.advance(expected + 239 * minuteMs - inbox.clock.now());
    await recoverReports(inbox.deps, inbox.scope);
    expect(about()).toBe(0);
    inbox.clock.advance(2 * minuteMs);
    await recoverReports(inbox.deps, inbox.scope);
    expect(about()).toBeGreaterThan(0);
  });

  it('signs requests as the principal of the buy, if the seller accepts none unsigned', async () => {
    const signers: (string | undefined)[] = [];
    const signerFor: ReadPorts['signerFor'] = (_scope, principalId): PrincipalSigner => ({
      principalId,
      sign: () => Promise.resolve(err({ code: 'key_unavailable', message: 'Nothing is sent here.' })),
    });
    const transport: ReadPorts['transport'] = {
      ...inbox.deps.ports.transport,
      call: (target, { tool, args }) => {
        // The other sellers of this tenant are polled for buys of other tests.
        if (target.connectionId === seller.connection.id) signers.push(target.signer?.principalId);
        return Promise.resolve(
          target.signer === undefined
            ? err({ code: 'unauthorized', delivered: 'no', message: 'Sign it.' } as const)
            : ok({ payload: answer(tool, args), isError: false }),
        );
      },
    };
    const required = ['get_media_buys', 'get_media_buy_delivery', ...getMediaBuys.names.adcp];
    const parts = declaring(
      { requestSigning: { supported: true, requiredFor: required, supportedFor: required } },
      { signerFor, transport },
    );
    await look(parts);
    const { connection, sellerMediaBuyId } = seller;
    await followEnds(parts, inbox.scope, [{ connectionId: connection.id, sellerMediaBuyId }]);
    const record = await inbox.deps.ports.store.mediaBuy(inbox.scope, seller.mediaBuyId);
    expect(signers.length).toBeGreaterThan(2);
    expect(new Set(signers)).toEqual(new Set([record?.buy.principalId]));
    expect(await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).not.toEqual([]);
  });
});
