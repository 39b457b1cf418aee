import { getProducts, getSignals } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { LegObservation } from '../model/leg-state.js';
import { offerOf } from '../model/offer.js';
import { proposalQuotes } from '../model/proposal.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { hideOtherTenants } from '../signals/hide-other-tenants.js';
import { applyReportedSignals } from '../signals/apply-reported-signals.js';

/**
 * Stores from a late answer what is stored from an immediate one: quotes for the checks before a buy, and the
 * state of signals. It is written before the leg: after a crash between the two, the answer arrives again and
 * writes the same. Returns the observation as the leg may store it.
 */
export async function recordLateAnswer(
  { store, activations }: Pick<BuysPorts, 'store' | 'activations'>,
  scope: TenantScope,
  leg: Leg,
  update: LegObservation,
): Promise<LegObservation> {
  const { reply, at } = update;
  if (reply.status !== 'completed') return update;
  const { connectionId, seller, profile } = leg;
  if (leg.task === getProducts.name) {
    const read = getProducts.readAnswer(reply.payload, profile);
    const products = read.ok ? read.value.answer.products : [];
    const proposals = read.ok ? (read.value.answer.proposals ?? []) : [];
    const reportedAt = quotedAt(leg, update);
    await store.saveProposals(scope, proposalQuotes({ connectionId, seller, proposals }, reportedAt));
    if (products.length === 0) return update;
    await store.saveOffers(
      scope,
      products.map((product) => ({ connectionId, offer: offerOf(seller, product, reportedAt) })),
    );
    return update;
  }
  if (activations === undefined) return update;
  const payload = await hideOtherTenants(activations, scope, connectionId, reply.payload);
  const read = getSignals.readAnswer(payload, profile);
  if (!read.ok) return update;
  await applyReportedSignals(activations, scope, [{ connectionId, signals: read.value.answer.signals }], at);
  return { ...update, reply: { ...reply, payload } };
}

/**
 * The time of a late quote. It may have been sent before the seller was queried again, so the seller's own
 * time is used if it lies between request and answer.
 */
function quotedAt({ createdAt }: Leg, { at, reportedAt = at }: LegObservation): Instant {
  return Math.min(Math.max(reportedAt, createdAt), at);
}
