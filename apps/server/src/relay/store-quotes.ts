import { offerOf } from '@switchyard/buys';
import { getProducts } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { PassedReply } from './read-passed.js';
import type { RelayDeps } from './relay-deps.js';

/**
 * Stores a seller's quotes for a sealed read like any others: a buy under a budget is counted by them. Their time is
 * that of the read: a slow answer replaces no later quote.
 */
export function storeQuotes(
  { quotes }: { readonly quotes: Pick<RelayDeps['quotes'], 'keep'> },
  connection: Connection,
  reported: PassedReply | 'nothing' | undefined,
  requestedAt: Instant,
): void {
  if (reported === undefined || reported === 'nothing' || !Array.isArray(reported.reply.payload['products']))
    return;
  const profile = { dialect: connection.dialect, form: connection.form };
  const read = getProducts.readAnswer(reported.reply.payload, profile);
  if (!read.ok || read.value.answer.products.length === 0) return;
  quotes.keep(
    { organizationId: connection.organizationId },
    read.value.answer.products.map((product) => ({
      connectionId: connection.id,
      offer: offerOf(connection.slug, product, requestedAt),
    })),
  );
}
