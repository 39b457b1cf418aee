import { updateMediaBuy as task, profileOf } from '@switchyard/protocol';
import { canonicalJson } from '@switchyard/values';
import { accountAt } from '../plan/client-accounts.js';
import { cancellationTerms } from '../terms/cancellation-terms.js';
import { draftLeg, type LegDraft } from '../call/draft-leg.js';
import type { Leg, MediaBuy, Operation } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { PlannedLeg } from '../plan/plan-buy.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import type { Reencode } from '../call/reencode.js';

interface UndoContext {
  readonly ports: BuysPorts;
  readonly operation: Operation;
  /** By the connection's id. */
  readonly secrets: ReadonlyMap<string, LegSecrets>;
}

/**
 * Creates the cancellation of one leg in advance, for a buy with all or nothing. It is stored with the buy,
 * as `held`, until another leg fails. The seller's id of the buy is added before it is sent.
 */
export function draftUndo(
  { ports, operation, secrets }: UndoContext,
  buy: MediaBuy,
  { connection, packages }: PlannedLeg,
  sellerBuyId: string,
): LegDraft {
  const canceled = {
    mediaBuyId: 'not made yet',
    canceled: true as const,
    cancellationReason: 'The request was all or nothing, and another seller did not accept its part.',
    packages: [],
    newPackages: [],
    original: { form: 'ours' as const, value: {} },
  };
  const { leg, registrations, again } = draftLeg(
    {
      ports,
      // The cancellation does not contain the extensions of the buyer's request.
      operation: { ...operation, task: task.name, request: {} },
      connection,
      secrets: secrets.get(connection.id),
    },
    ({ reportingWebhook: _none, ...extras }, at) =>
      task.projectRequest({ ...canceled, ...extras, account: accountAt(connection, buy) }, profileOf(at)),
  );
  const offers = new Map(
    packages.map((item) => [`${connection.slug}:${item.request.productId}`, item.offer] as const),
  );
  const bought = packages.map((item) => ({
    id: '',
    mediaBuyId: buy.id,
    legId: leg.id,
    position: item.position,
    seller: connection.slug,
    productId: item.request.productId,
    pricingOptionId: item.request.pricingOptionId,
    currency: item.price.currency,
    budgetMicros: item.budgetMicros,
  }));
  const terms = cancellationTerms(
    canceled,
    { buy, packages: bought },
    { sellerBuy: { seller: connection.slug }, offers, now: operation.createdAt },
  );
  return {
    leg: { ...leg, status: 'held', sellerBuyId, findings: [...leg.findings, ...terms] },
    registrations: registrations.filter(({ kind }) => kind !== 'report'),
    again: (now, frozen, how) => named(again(now, frozen, how), frozen),
  };
}

/** The same buy, by the id that its seller has assigned. */
function named(frozen: ReturnType<Reencode>, known: Pick<Leg, 'id' | 'outbound'>): ReturnType<Reencode> {
  const id = outboundOf(known)['media_buy_id'];
  if (frozen === undefined || id === undefined) return frozen;
  const args = outboundOf({ id: known.id, outbound: frozen.outbound });
  return { ...frozen, outbound: canonicalJson({ ...args, media_buy_id: id }) };
}
