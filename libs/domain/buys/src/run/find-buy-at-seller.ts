import {
  activateSignal,
  createMediaBuy,
  getMediaBuys,
  updateMediaBuy,
  type MediaBuyView,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import { callSeller } from '../call/call-seller.js';
import { findChangeAtSeller } from './find-change-at-seller.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { findActivation } from './find-signal-at-seller.js';
import type { SearchResult } from './search-result.js';

/**
 * Finds the buy of a leg in the seller's list, by the context that we sent or else by the buyer's reference.
 *
 * The context is written by Switchyard alone. A reference is not unique: a buyer may use one twice. So it
 * decides only where a single buy has it, never for a buy of another leg, and never where another tenant buys
 * at the same seller, since two tenants may use one reference. The context of a sealed request is the
 * brand's, and counts only as much as a reference.
 */
export async function findBuyAtSeller(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<SearchResult> {
  if (leg.task === updateMediaBuy.name) return findChangeAtSeller(ports, scope, leg, run);
  if (leg.task === activateSignal.name) return findActivation(ports, leg, run);
  if (leg.task !== createMediaBuy.name) return { kind: 'no_way' };
  const { args } = getMediaBuys.projectRequest({ statusFilter: allStatuses }, leg.profile);
  const reported = await callSeller(ports.transport, run, { task: getMediaBuys.name, args }, run.signal);
  const read = reported.ok ? getMediaBuys.readAnswer(reported.value.reply.payload, leg.profile) : undefined;
  if (read?.ok !== true) return { kind: 'no_answer' };
  const sent = outboundOf(leg);
  const { mediaBuys } = read.value.answer;
  const matches = mediaBuys.filter((buy) => (leg.sealed === true ? repeats(buy, sent) : echoes(buy, sent)));
  const [found, another] = matches.length > 0 ? matches : mediaBuys.filter((buy) => isReferredTo(buy, sent));
  if (found === undefined || another !== undefined) return { kind: 'not_found' };
  const { own, elsewhere } = await ports.store.holdersOf(scope, leg.connectionId, found.mediaBuyId);
  if (own !== undefined && own.legId !== leg.id) return { kind: 'not_found' };
  if (elsewhere === 'taken' || (elsewhere === 'shared' && (leg.sealed === true || matches.length === 0)))
    return { kind: 'not_found' };
  return { kind: 'found', payload: found.original.value };
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

/** Whether the buy has our context as it was sent. A seller may add members of its own. */
function echoes({ context }: MediaBuyView, sent: JsonObject): boolean {
  const [mark, echo] = [markIn(sent['context']), markIn(context)];
  return mark !== undefined && echo !== undefined && canonicalJson(mark) === canonicalJson(echo);
}

/** For a sealed request, the brand's own context must be equal as a whole. Like a reference it may be used twice. */
function repeats({ context }: MediaBuyView, { context: sent }: JsonObject): boolean {
  if (!isJsonObject(sent) || Object.keys(sent).length === 0) return false;
  return isJsonObject(context) && canonicalJson(context) === canonicalJson(sent);
}

function markIn(context: unknown): JsonObject | undefined {
  const mark = isJsonObject(context) ? context['switchyard'] : undefined;
  return isJsonObject(mark) ? mark : undefined;
}

/** A buy with another context of ours belongs to another request, whatever its reference. */
function isReferredTo(buy: MediaBuyView, sent: JsonObject): boolean {
  const reference = sent['buyer_ref'];
  return typeof reference === 'string' && reference === buy.buyerRef && markIn(buy.context) === undefined;
}
