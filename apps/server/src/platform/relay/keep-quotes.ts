import { offerOf } from '@switchyard/buys';
import { getProducts } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Said } from './read-passed.js';
import type { RelayParts } from './relay-parts.js';

/** What a seller quoted to a sealed question is on record like any quote: a buy under a budget is counted by it. */
export function keepQuotes(
  { quotes, clock }: Pick<RelayParts, 'quotes' | 'clock'>,
  connection: Connection,
  said: Said | 'nothing' | undefined,
): void {
  if (said === undefined || said === 'nothing' || !Array.isArray(said.reply.payload['products'])) return;
  const voice = { dialect: connection.dialect, form: connection.form };
  const read = getProducts.readAnswer(said.reply.payload, voice);
  if (!read.ok || read.value.answer.products.length === 0) return;
  const at = clock.now();
  quotes.keep(
    { organizationId: connection.organizationId },
    read.value.answer.products.map((product) => ({
      connectionId: connection.id,
      offer: offerOf(connection.slug, product, at),
    })),
  );
}
