import { inBuyersNames } from '@switchyard/buys';
import { readCreativeStatus } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { refusedAs, textAt } from './answers.js';
import type { Rehearsing } from './rehearsing.js';

/**
 * Has the practice seller decide on a creative that this organization synced there, and takes its word for it at once:
 * the library shows what is known of each seller, and would learn it by webhook or at the next look.
 */
export async function forceCreative(
  { params, parts, scope, caller, connection, ask }: Rehearsing,
  scenario: 'force_creative_status' | 'force_creative_purge',
): Promise<JsonObject> {
  if (caller.permissions['creatives']?.includes('write') !== true)
    return refusedAs('FORBIDDEN', 'It needs the permission creatives.write.');
  const creativeId = textAt(params, 'creative_id');
  if (creativeId === undefined) return refusedAs('INVALID_PARAMS', 'params.creative_id is required.');
  if (scenario === 'force_creative_status' && textAt(params, 'status') === undefined)
    return refusedAs('INVALID_PARAMS', 'params.status is required.');
  const library = await parts.creatives.byIds(scope, [creativeId]);
  const placed = library
    .get(creativeId)
    ?.placements.find(({ connectionId }) => connectionId === connection.id);
  if (placed === undefined)
    return refusedAs('NOT_FOUND', 'No creative of yours with this id is at the practice seller.', null);
  const name = placed.sellerCreativeId ?? creativeId;
  const answer = await ask(scenario, { ...params, creative_id: name });
  const said = inBuyersNames(answer, connection.id);
  const status = readCreativeStatus(said['current_state']);
  if (said['success'] !== true || status === undefined) return said;
  const reason = status === 'rejected' ? textAt(params, 'rejection_reason') : undefined;
  const seen = {
    creativeId,
    connectionId: connection.id,
    seller: connection.slug,
    status,
    source: 'poll' as const,
    ...(reason === undefined ? {} : { reason }),
  };
  await parts.creatives.observe(scope, [seen], parts.clock.now());
  return said;
}
