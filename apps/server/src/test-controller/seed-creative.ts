import { isJsonObject, type JsonObject } from '@switchyard/values';
import { accountOfSeed } from './account-of-seed.js';
import { objectAt, refusedAs, textAt } from './answers.js';
import { forceCreative } from './force-creative.js';
import type { TestControl } from './test-control.js';
import { seedFormat } from './seed-format.js';

/** The creative agent of the sandbox market: a format that names no agent is one of its own. */
const marketFormats = 'https://creatives.market.example';

/**
 * Adds a creative to the caller's library and syncs it to the sandbox seller, by the same task that a buyer uses, in a
 * format that the seller accepts from then on, and in the state of the fixture.
 */
export async function seedCreative(control: TestControl): Promise<JsonObject> {
  const { params, deps, call, connection } = control;
  const creativeId = textAt(params, 'creative_id');
  if (creativeId === undefined) return refusedAs('INVALID_PARAMS', 'params.creative_id is required.');
  const fixture = objectAt(params, 'fixture');
  const format = formatIn(fixture);
  const { id, agent_url } = format;
  const listed = await seedFormat({ ...control, params: { format_id: id, fixture: { agent_url } } });
  if (listed['success'] !== true) return listed;
  const reply = await call('sync_creatives', {
    adcp_major_version: 3,
    idempotency_key: deps.ids.uuid(),
    account: accountOfSeed(control),
    ext: { switchyard: { sellers: [connection.slug] } },
    creatives: [
      {
        creative_id: creativeId,
        name: textAt(fixture, 'name') ?? creativeId.replaceAll('_', ' '),
        format_id: format,
        assets: isJsonObject(fixture['assets']) ? fixture['assets'] : { main: image },
      },
    ],
  });
  const [synced] = Array.isArray(reply.body['creatives']) ? reply.body['creatives'] : [];
  const action = isJsonObject(synced) ? synced['action'] : undefined;
  if (reply.isError || action === undefined || action === 'failed')
    return refusedAs('INVALID_PARAMS', reply.errors[0]?.message ?? 'The creative was not taken.');
  const status = textAt(fixture, 'status');
  if (status === undefined) return seeded;
  const requested = {
    creative_id: creativeId,
    status,
    rejection_reason: textAt(fixture, 'rejection_reason') ?? '',
  };
  const forced = await forceCreative({ ...control, params: requested }, 'force_creative_status');
  return forced['success'] === true ? seeded : forced;
}

const seeded: JsonObject = { success: true, message: 'It is in your library, and at the sandbox seller.' };

const image: JsonObject = {
  asset_type: 'image',
  url: 'https://assets.test-controller.example/banner.png',
  width: 300,
  height: 250,
};

function formatIn(fixture: JsonObject): { readonly agent_url: string; readonly id: string } {
  const given = fixture['format_id'];
  const named = isJsonObject(given) ? given : { id: given ?? null };
  return {
    agent_url: textAt(named, 'agent_url') ?? marketFormats,
    id: textAt(named, 'id') ?? 'display_300x250',
  };
}
