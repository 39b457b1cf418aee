import { isJsonObject, type JsonObject } from '@switchyard/values';
import { refusedAs, textAt } from './answers.js';
import { sellersBuy } from './control-buy.js';
import type { TestControl } from './test-control.js';

/** Spends a share of every running buy of an account at the sandbox seller. */
export async function simulateAccountSpend(rehearsing: TestControl): Promise<JsonObject> {
  const { params, parts, scope, caller, names, ask } = rehearsing;
  const name = textAt(params, 'account_id');
  if (name === undefined)
    return refusedAs('INVALID_PARAMS', 'params names no media_buy_id and no account_id.');
  const accountId = names.idOf(caller, 'account', name);
  const own = await parts.accounts.accounts(scope, caller.principalId);
  if (!own.some(({ id }) => id === accountId))
    return refusedAs('NOT_FOUND', 'You have no account with this id.', null);
  const live = (await parts.accounts.liveBuys(scope, caller.principalId)).get(accountId) ?? [];
  const sums = { computed_spend: 0, budget: 0 };
  for (const id of live) {
    const theirs = await sellersBuy(rehearsing, id);
    if (theirs === undefined) continue;
    const reported = await ask('simulate_budget_spend', {
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
