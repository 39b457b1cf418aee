import { createMediaBuy, getMediaBuys, type MediaBuyView } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import { callSeller } from './call-seller.js';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import type { BuysPorts } from './ports.js';
import { outboundOf, store, type LegRun } from './run-leg.js';

export type Looked =
  { readonly kind: 'found'; readonly payload: JsonObject } | { readonly kind: 'not_found' | 'no_answer' };

/**
 * Finds out what a send without an outcome has done, by reading what the seller has (ruling 17).
 *
 * Only finding the buy settles anything. Not finding it proves nothing, so the leg is parked for a person: a
 * mutation is never repeated on a guess.
 */
export async function readBack(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<OperationState | undefined> {
  const looked = await lookFor(ports, leg, run);
  const at = ports.clock.now();
  if (looked.kind === 'found') {
    const reply = { status: 'completed' as const, replayed: false, payload: looked.payload, errors: [] };
    return store(ports, scope, leg.id, { source: 'read_back', at, reply });
  }
  const message =
    looked.kind === 'not_found'
      ? 'The seller did not say what became of this request, and its list does not show it.'
      : 'The seller did not say what became of this request, and could not be asked.';
  await ports.store.parkLeg(scope, leg.id, message, at);
  ports.notice({ code: 'LEG_PARKED', seller: leg.seller, legId: leg.id, message });
  return ports.store.state(scope, leg.operationId);
}

/** Looks for the buy of a leg in the seller's list, by the buyer's reference or by the context that we sent. */
export async function lookFor(ports: BuysPorts, leg: Leg, run: LegRun): Promise<Looked> {
  if (leg.task !== createMediaBuy.name) return { kind: 'not_found' };
  const { args } = getMediaBuys.projectRequest({ statusFilter: allStatuses }, leg.voice);
  const said = await callSeller(ports.transport, run, { task: getMediaBuys.name, args }, run.signal);
  const read = said.ok ? getMediaBuys.readAnswer(said.value.reply.payload, leg.voice) : undefined;
  if (read?.ok !== true) return { kind: 'no_answer' };
  const sent = outboundOf(leg);
  const found = read.value.answer.mediaBuys.find((buy) => isSame(buy, sent));
  return found === undefined ? { kind: 'not_found' } : { kind: 'found', payload: found.original.value };
}

const allStatuses = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'rejected',
  'canceled',
];

function isSame(buy: MediaBuyView, sent: JsonObject): boolean {
  const context = sent['context'];
  if (isJsonObject(context) && buy.context !== undefined)
    return canonicalJson(context) === canonicalJson(buy.context);
  return typeof sent['buyer_ref'] === 'string' && sent['buyer_ref'] === buy.buyerRef;
}
