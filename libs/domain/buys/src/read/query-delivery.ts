import type { MarketAnswer, MarketLeg } from '@switchyard/fanout';
import {
  getMediaBuyDelivery as task,
  type DeliveryReport,
  type GetMediaBuyDeliveryRequest,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { canonicalJson, type Instant } from '@switchyard/values';
import { queryBuys } from './query-buys.js';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';

/** Maximum number of buys missing in a seller's answer that are queried one by one. */
const asksAtMost = 10;

type Requests = ReadonlyMap<Connection, GetMediaBuyDeliveryRequest>;
type Leg = MarketLeg<DeliveryReport>;

/**
 * Queries sellers for the delivery of their buys. Some read only the first id of a list: the others are
 * queried one by one within the deadline of the buyer (docs/protocol/delivery.md#questions).
 */
export async function queryDelivery(
  ports: ReadPorts,
  query: ReadRequest,
  requests: Requests,
): Promise<MarketAnswer<DeliveryReport>> {
  const { clock } = ports;
  const endsAt = clock.now() + query.deadlineMs;
  const count = (answer: DeliveryReport): number => answer.deliveries.length;
  const market = await inBatches(ports, query, requests, endsAt);
  const passedOver = new Map(
    market.legs.map((leg) => [leg.connection, passedOverBy(leg, requests.get(leg.connection))]),
  );
  const { onSeller: _omitted, ...quiet } = query;
  let { legs } = market;
  for (let turn = 0; turn < asksAtMost && clock.now() < endsAt; turn += 1) {
    const next = new Map(
      [...passedOver].flatMap(([connection, ids]) => {
        const id = ids[turn];
        return id === undefined ? [] : [[connection, { ...requests.get(connection), mediaBuyIds: [id] }]];
      }),
    );
    if (next.size === 0) break;
    const more = await queryBuys(
      ports,
      { ...quiet, deadlineMs: endsAt - clock.now() },
      { spec: task, requests: next, count },
    );
    legs = legs.map((leg) => joined(leg, more.legs, next.get(leg.connection)?.mediaBuyIds[0]));
  }
  return { ...market, legs };
}

/** Maximum number of buys in one call: this task has no pages (docs/protocol/delivery.md#questions). */
const idsAtOnce = 100;

/** Queries all buys in batches. Where a later batch fails, the seller's row shows the failure. */
async function inBatches(
  ports: ReadPorts,
  query: ReadRequest,
  requests: Requests,
  endsAt: Instant,
): Promise<MarketAnswer<DeliveryReport>> {
  const count = (answer: DeliveryReport): number => answer.deliveries.length;
  const [first, ...later] = batchesOf(requests);
  let market = await queryBuys(ports, query, { spec: task, requests: first ?? new Map(), count });
  const { onSeller: _omitted, ...quiet } = query;
  for (const batch of later) {
    const left = endsAt - ports.clock.now();
    const more = await queryBuys(
      ports,
      { ...quiet, deadlineMs: Math.max(0, left) },
      { spec: task, requests: batch, count },
    );
    const failed = new Map(
      more.rows.filter(({ status }) => status !== 'answered').map((row) => [row.seller, row]),
    );
    market = {
      ...market,
      rows: market.rows.map((row) => (row.status === 'answered' ? (failed.get(row.seller) ?? row) : row)),
      legs: market.legs.map((leg) => {
        const next = more.legs.find(({ connection }) => isOneAccount(connection, leg.connection))?.answer;
        if (leg.answer === undefined || next === undefined) return leg;
        return {
          ...leg,
          answer: { ...leg.answer, deliveries: [...leg.answer.deliveries, ...next.deliveries] },
        };
      }),
    };
  }
  return market;
}

/** Splits the ids for each seller into batches. A seller of few buys is only in the first. */
function batchesOf(requests: Requests): readonly Requests[] {
  const most = Math.max(0, ...[...requests.values()].map(({ mediaBuyIds = [] }) => mediaBuyIds.length));
  return Array.from({ length: Math.ceil(most / idsAtOnce) }, (_, turn) => {
    const from = turn * idsAtOnce;
    return new Map(
      [...requests].flatMap(([connection, request]) => {
        const ids = request.mediaBuyIds?.slice(from, from + idsAtOnce) ?? [];
        return ids.length === 0 ? [] : [[connection, { ...request, mediaBuyIds: ids }]];
      }),
    );
  });
}

/** Requested buys that are missing in the answer; empty where an answer names no buy at all. */
function passedOverBy({ answer }: Leg, request: GetMediaBuyDeliveryRequest | undefined): readonly string[] {
  const requested = request?.mediaBuyIds ?? [];
  if (answer === undefined || requested.length < 2) return [];
  const named = new Set(answer.deliveries.map(({ mediaBuyId }) => mediaBuyId));
  return named.has('') ? [] : requested.filter((id) => !named.has(id));
}

/** Adds the answer about one buy to the earlier ones. An answer that names no buy is about that one. */
function joined(leg: Leg, more: readonly Leg[], id: string | undefined): Leg {
  const reported = more.find(({ connection }) => isOneAccount(connection, leg.connection))?.answer;
  if (leg.answer === undefined || reported === undefined || id === undefined) return leg;
  const deliveries = reported.deliveries
    .map((delivery) => (delivery.mediaBuyId === '' ? { ...delivery, mediaBuyId: id } : delivery))
    .filter(({ mediaBuyId }) => mediaBuyId === id);
  return { ...leg, answer: { ...leg.answer, deliveries: [...leg.answer.deliveries, ...deliveries] } };
}

/** One seller may be queried about several accounts. */
function isOneAccount(one: Connection, other: Connection): boolean {
  return one.id === other.id && canonicalJson(one.account ?? null) === canonicalJson(other.account ?? null);
}
