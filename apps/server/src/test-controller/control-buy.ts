import type { JsonObject } from '@switchyard/values';
import { refusedAs, textAt } from './answers.js';
import type { TestControl } from './test-control.js';

/** A scenario about a buy: the buyer knows our media buy, the seller its own part of it. */
export async function controlBuy(control: TestControl, scenario: string): Promise<JsonObject> {
  const { params, callTool, connection } = control;
  const id = textAt(params, 'media_buy_id');
  if (id === undefined) return refusedAs('INVALID_PARAMS', 'params.media_buy_id is required.');
  const sellerBuyId = await sellersBuy(control, id);
  if (sellerBuyId === undefined)
    return refusedAs(
      'NOT_FOUND',
      `No media buy of yours with this id has a part at ${connection.slug}, the one seller that this tool controls.`,
      null,
    );
  return callTool(scenario, { ...params, media_buy_id: sellerBuyId });
}

/** The sandbox seller's id of its part of this buy; undefined if the caller has no such buy there. */
export async function sellersBuy(
  { deps, scope, caller, connection, names }: TestControl,
  id: string,
): Promise<string | undefined> {
  const ids = [names.idOf(caller, 'media_buy', id)];
  const [found] = await deps.store.mediaBuys(scope, { principalId: caller.principalId, ids, limit: 1 });
  return found?.sellerBuys.find(({ connectionId }) => connectionId === connection.id)?.sellerMediaBuyId;
}
