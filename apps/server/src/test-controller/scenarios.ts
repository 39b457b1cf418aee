import { createHash } from 'node:crypto';
import { prefixId } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { refusedAs, textAt, objectAt } from './answers.js';
import { forceAccountStatus } from './force-account.js';
import { forceCreative } from './force-creative.js';
import { controlBuy, sellersBuy } from './control-buy.js';
import type { SeededProducts } from './seeded-products.js';
import type { TestControl, Scenario } from './test-control.js';
import { seedCreative } from './seed-creative.js';
import { seedFormat } from './seed-format.js';
import { seedMediaBuy } from './seed-media-buy.js';
import { pairIn } from './account-of-seed.js';

/**
 * Every supported scenario. All others are unknown: sessions, plans, upstreams and catalogues of measurement belong to
 * protocols that this agent does not offer, and reads are answered by a market, not by one arm.
 */
export const scenarios: Readonly<Record<string, Scenario>> = {
  seed_account: { needs: [], run: seedAccount },
  seed_product: { needs: ['seed_product'], run: (control) => seedProduct(control, 'seed_product') },
  seed_pricing_option: {
    needs: ['seed_pricing_option'],
    run: (control) => seedProduct(control, 'seed_pricing_option'),
  },
  seed_creative_format: { needs: ['seed_creative_format'], run: seedFormat },
  seed_creative: { needs: ['seed_creative_format', 'force_creative_status'], run: seedCreative },
  seed_media_buy: { needs: ['seed_product', 'force_media_buy_status'], run: seedMediaBuy },
  force_account_status: { needs: [], run: forceAccountStatus },
  force_creative_status: {
    needs: ['force_creative_status'],
    run: (control) => forceCreative(control, 'force_creative_status'),
  },
  force_creative_purge: {
    needs: ['force_creative_purge'],
    run: (control) => forceCreative(control, 'force_creative_purge'),
  },
  force_media_buy_status: {
    needs: ['force_media_buy_status'],
    run: (control) => controlBuy(control, 'force_media_buy_status'),
  },
  force_create_media_buy_arm: { needs: ['force_create_media_buy_arm'], run: forceArm },
  force_task_completion: { needs: ['force_task_completion'], run: forceTask },
  simulate_delivery: {
    needs: ['simulate_delivery'],
    run: (control) => controlBuy(control, 'simulate_delivery'),
  },
  simulate_budget_spend: {
    needs: ['simulate_budget_spend'],
    run: (control) =>
      control.params['media_buy_id'] === undefined
        ? simulateAccountSpend(control)
        : controlBuy(control, 'simulate_budget_spend'),
  },
};

async function seedProduct(
  { callTool, params, products, scope, connection }: TestControl,
  scenario: 'seed_product' | 'seed_pricing_option',
): Promise<JsonObject> {
  const reported = await callTool(scenario, params);
  const productId = textAt(params, 'product_id');
  if (reported['success'] === true && productId !== undefined)
    products.note(
      scope.organizationId,
      productId,
      prefixId(connection.slug, productId),
      scenario === 'seed_pricing_option' ? optionIn(params) : undefined,
    );
  return reported;
}

function optionIn(params: JsonObject): Parameters<SeededProducts['note']>[3] {
  const id = textAt(params, 'pricing_option_id');
  const { fixed_price: fixed, floor_price: floor } = objectAt(params, 'fixture');
  if (id === undefined) return undefined;
  return fixed === undefined && typeof floor === 'number' ? { id, floor } : { id };
}

async function forceArm({ callTool, params, forced, caller }: TestControl): Promise<JsonObject> {
  const scenario = 'force_create_media_buy_arm';
  const name = textAt(params, 'task_id');
  const theirs = name === undefined ? params : { ...params, task_id: sellersName(caller, name) };
  const reported = await callTool(scenario, theirs);
  if (reported['success'] !== true) return reported;
  forced.note(caller, { scenario, params });
  const shown = reported['forced'];
  return isJsonObject(shown) && name !== undefined
    ? { ...reported, forced: { ...shown, task_id: name } }
    : reported;
}

async function forceTask({ callTool, params, forced, caller }: TestControl): Promise<JsonObject> {
  const name = textAt(params, 'task_id');
  if (name === undefined || !forced.isOf(caller, name))
    return refusedAs('NOT_FOUND', 'No task of yours was given this name.', null);
  return callTool('force_task_completion', { ...params, task_id: sellersName(caller, name) });
}

/** Each caller has its own names, but the seller has one list: it gets a name that no other caller can give. */
function sellersName({ principalId }: PrincipalCaller, name: string): string {
  return createHash('sha256').update(`${principalId} ${name}`).digest('hex');
}

/** Spends a share of every running buy of an account at the sandbox seller. */
async function simulateAccountSpend(control: TestControl): Promise<JsonObject> {
  const { params, deps, scope, caller, names, callTool } = control;
  const name = textAt(params, 'account_id');
  if (name === undefined)
    return refusedAs('INVALID_PARAMS', 'params names no media_buy_id and no account_id.');
  const accountId = names.idOf(caller, 'account', name);
  const own = await deps.accounts.accounts(scope, caller.principalId);
  if (!own.some(({ id }) => id === accountId))
    return refusedAs('NOT_FOUND', 'You have no account with this id.', null);
  const live = (await deps.accounts.liveBuys(scope, caller.principalId)).get(accountId) ?? [];
  const sums = { computed_spend: 0, budget: 0 };
  for (const id of live) {
    const theirs = await sellersBuy(control, id);
    if (theirs === undefined) continue;
    const reported = await callTool('simulate_budget_spend', {
      spend_percentage: params['spend_percentage'] ?? null,
      media_buy_id: theirs,
    });
    if (reported['success'] !== true) return reported;
    const simulated = isJsonObject(reported['simulated']) ? reported['simulated'] : {};
    sums.computed_spend += Number(simulated['computed_spend'] ?? 0);
    sums.budget += Number(simulated['budget'] ?? 0);
  }
  return { success: true, simulated: { spend_percentage: params['spend_percentage'] ?? null, ...sums } };
}

/** Declares an account of the caller, as `sync_accounts` does, under the id that the run gives it. */
async function seedAccount(control: TestControl): Promise<JsonObject> {
  const { params, deps, caller, names, call } = control;
  const name = textAt(params, 'account_id');
  if (name === undefined) return refusedAs('INVALID_PARAMS', 'params.account_id is required.');
  const fixture = objectAt(params, 'fixture');
  const pair = pairIn(fixture) ?? {
    brand: { domain: `${slugOf(name)}.example` },
    operator: 'test-controller.example',
  };
  const reply = await call('sync_accounts', {
    adcp_major_version: 3,
    idempotency_key: deps.ids.uuid(),
    accounts: [{ ...pair, billing: 'operator', sandbox: true }],
  });
  const [made] = Array.isArray(reply.body['accounts']) ? reply.body['accounts'] : [];
  const id = isJsonObject(made) ? textAt(made, 'account_id') : undefined;
  if (reply.isError || id === undefined)
    return refusedAs('INVALID_PARAMS', reply.errors[0]?.message ?? 'The account was not taken.');
  // The id may be a name given before, for the same pair.
  names.give(caller, 'account', name, names.idOf(caller, 'account', id));
  const status = textAt(fixture, 'status') ?? 'active';
  const forced = await forceAccountStatus({ ...control, params: { account_id: name, status } });
  return forced['success'] === true ? { success: true, message: 'It is an account of yours.' } : forced;
}

function slugOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'seeded'
  );
}
