import { prefixId } from '@switchyard/protocol';
import { isoOf, isJsonObject, type JsonObject } from '@switchyard/values';
import { accountOfSeed } from './account-of-seed.js';
import { objectAt, refusedAs, textAt } from './answers.js';
import { controlBuy } from './control-buy.js';
import type { TestControl } from './test-control.js';

const productId = 'seeded_buy';
const flightMs = 30 * 86_400_000;

/**
 * Buys at the sandbox seller, by the same task that a buyer uses, and puts the buy into the state of the fixture. The
 * buy has an id of ours; its caller uses the one that the run gives it.
 */
export async function seedMediaBuy(control: TestControl): Promise<JsonObject> {
  const { params, deps, caller, names, call } = control;
  const name = textAt(params, 'media_buy_id');
  if (name === undefined) return refusedAs('INVALID_PARAMS', 'params.media_buy_id is required.');
  const fixture = objectAt(params, 'fixture');
  if (!names.isGiven(caller, 'media_buy', name)) {
    const packages = await packagesOf(control, fixture);
    if (!Array.isArray(packages)) return packages;
    const account = accountOfSeed(control);
    const now = deps.clock.now();
    const reply = await call('create_media_buy', {
      adcp_major_version: 3,
      idempotency_key: deps.ids.uuid(),
      account,
      brand: isJsonObject(account['brand']) ? account['brand'] : { domain: 'test-controller.example' },
      start_time: textAt(fixture, 'start_time') ?? 'asap',
      end_time: textAt(fixture, 'end_time') ?? isoOf(now + flightMs),
      packages,
    });
    const id = textAt(reply.body, 'media_buy_id');
    if (reply.isError || id === undefined)
      return refusedAs('INVALID_PARAMS', reply.errors[0]?.message ?? 'The buy was not made at once.');
    names.give(caller, 'media_buy', name, id);
  }
  const status = textAt(fixture, 'status');
  if (status === undefined) return seeded;
  const requested = { media_buy_id: name, status };
  const forced = await controlBuy({ ...control, params: requested }, 'force_media_buy_status');
  return forced['success'] === true ? seeded : forced;
}

const seeded: JsonObject = { success: true, message: 'It is a media buy of yours at the sandbox seller.' };

/** The packages of the fixture, if it names what to buy; else one of a product that is made for it. */
async function packagesOf(
  { callTool, connection }: TestControl,
  fixture: JsonObject,
): Promise<JsonObject[] | JsonObject> {
  const given = (Array.isArray(fixture['packages']) ? fixture['packages'] : []).filter(isJsonObject);
  const isWhole = given.every((part) => textAt(part, 'product_id') !== undefined);
  if (given.length > 0 && isWhole)
    return given.map(({ product_id, pricing_option_id, budget }) => ({
      product_id: product_id ?? null,
      pricing_option_id: pricing_option_id ?? 'fixed_usd',
      budget: budget ?? 1_000,
    }));
  const made = await callTool('seed_product', { product_id: productId, fixture: { name: 'Seeded buy' } });
  if (made['success'] !== true) return made;
  return [
    {
      product_id: prefixId(connection.slug, productId),
      pricing_option_id: 'fixed_usd',
      budget: typeof fixture['total_budget'] === 'number' ? fixture['total_budget'] : 1_000,
    },
  ];
}
