import { withBuyerIds, type Placement } from '@switchyard/buys';
import { hasFeature, readCreativeStatus } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { accountOfSeed } from './account-of-seed.js';
import { refusedAs, textAt } from './answers.js';
import type { TestControl } from './test-control.js';

/**
 * Makes the sandbox seller decide on a creative of this organization, and stores its decision at once: the library
 * shows the last known state, and would learn it by webhook or at the next poll. A creative without an assignment is
 * first sent to the sandbox seller, because forcing its state needs that.
 */
export async function forceCreative(
  control: TestControl,
  scenario: 'force_creative_status' | 'force_creative_purge',
): Promise<JsonObject> {
  const { params, deps, scope, caller, connection, callTool } = control;
  if (caller.permissions['creatives']?.includes('write') !== true)
    return refusedAs('FORBIDDEN', 'It needs the permission creatives.write.');
  const creativeId = textAt(params, 'creative_id');
  if (creativeId === undefined) return refusedAs('INVALID_PARAMS', 'params.creative_id is required.');
  if (scenario === 'force_creative_status' && textAt(params, 'status') === undefined)
    return refusedAs('INVALID_PARAMS', 'params.status is required.');
  const placed = (await placementOf(control, creativeId)) ?? (await sent(control, creativeId));
  if (placed === undefined)
    return refusedAs('NOT_FOUND', 'No creative of yours with this id is at the sandbox seller.', null);
  const name = placed.sellerCreativeId ?? creativeId;
  const answer = await callTool(scenario, { ...params, creative_id: name });
  const reported = withBuyerIds(answer, connection.id);
  const status = readCreativeStatus(reported['current_state']);
  if (reported['success'] !== true || status === undefined) return reported;
  const reason = status === 'rejected' ? textAt(params, 'rejection_reason') : undefined;
  const seen = {
    creativeId,
    connectionId: connection.id,
    seller: connection.slug,
    status,
    source: 'poll' as const,
    ...(reason === undefined ? {} : { reason }),
  };
  await deps.creatives.observe(scope, [seen], deps.clock.now());
  return reported;
}

async function placementOf(
  { deps, scope, connection }: TestControl,
  creativeId: string,
): Promise<Placement | undefined> {
  const library = await deps.creatives.byIds(scope, [creativeId]);
  return library.get(creativeId)?.placements.find(({ connectionId }) => connectionId === connection.id);
}

/** Sends a creative of the library to the sandbox seller, as its owner could by naming the seller. */
async function sent(control: TestControl, creativeId: string): Promise<Placement | undefined> {
  const { deps, scope, call, connection } = control;
  const { original } = (await deps.creatives.byIds(scope, [creativeId])).get(creativeId)?.creative ?? {};
  if (original === undefined || !hasFeature(original.form, 'wholeCreatives')) return undefined;
  await call('sync_creatives', {
    adcp_version: original.form,
    idempotency_key: deps.ids.uuid(),
    account: accountOfSeed(control),
    creatives: [original.value],
    ext: { switchyard: { sellers: [connection.slug] } },
  });
  return placementOf(control, creativeId);
}
