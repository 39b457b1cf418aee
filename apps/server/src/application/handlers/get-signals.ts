import { mergeSignals } from '@switchyard/fanout';
import { getSignals as task, type GetSignalsRequest } from '@switchyard/protocol';
import { askTheMarket } from '../ask-the-market.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';

export async function getSignals(
  parts: HandlerParts,
  handled: HandledCall<GetSignalsRequest>,
): Promise<Handled> {
  const market = await askTheMarket(parts, handled, task, (answer) => answer.signals.length);
  const offers = market.legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.signals ?? [] }));
  const merged = mergeSignals(offers, handled.request);
  const signals = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  return {
    kind: 'done',
    status: 'completed',
    payload: task.projectAnswer({ signals }, handled.version.voice),
    sellers: market.rows,
    operationId: market.operationId,
  };
}
