import { mergeFormats } from '@switchyard/fanout';
import { listCreativeFormats as task, type ListCreativeFormatsRequest } from '@switchyard/protocol';
import { askTheMarket } from '../ask-the-market.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';

export async function listCreativeFormats(
  parts: HandlerParts,
  handled: HandledCall<ListCreativeFormatsRequest>,
): Promise<Handled> {
  const market = await askTheMarket(parts, handled, task, (answer) => answer.formats.length);
  const merged = mergeFormats(
    market.legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.formats ?? [] })),
  );
  const formats = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  return {
    kind: 'done',
    status: 'completed',
    payload: task.projectAnswer({ formats }, handled.version.voice),
    sellers: market.rows,
    operationId: market.operationId,
  };
}
