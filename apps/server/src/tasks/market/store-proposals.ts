import { proposalQuotes } from '@switchyard/buys';
import type { MarketLeg } from '@switchyard/fanout';
import type { GetProductsAnswer } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { HandlerDeps } from '../handler.js';

/**
 * Stores sellers' proposals before the buyer gets them: a proposal cannot be requested again, so one that is not stored
 * could not be bought. False if they could not be stored; then the answer is sent without proposals.
 */
export async function storeProposals(
  { ports }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  legs: readonly MarketLeg<GetProductsAnswer>[],
  requestedAt: Instant,
): Promise<boolean> {
  const quotes = legs.flatMap(({ connection, answer }) =>
    proposalQuotes(
      { connectionId: connection.id, seller: connection.slug, proposals: answer?.proposals ?? [] },
      requestedAt,
    ),
  );
  if (quotes.length === 0) return true;
  try {
    await ports.store.saveProposals(scope, quotes);
    return true;
  } catch {
    const message = 'Proposals could not be stored, and were not shown.';
    ports.notice({ code: 'PROPOSALS_NOT_KEPT', seller: 'all', legId: '', message });
    return false;
  }
}
