import type { Agent } from '../agent/agent.js';
import { objectOf, textOf, textsOf, type JsonObject } from '../json.js';
import { done, refusal, type Outcome, type Refusal } from '../agent/outcome.js';

/** The accounts that this agent has given to us. */
export function listGivenAccounts({ personality }: Agent, args: JsonObject): Outcome {
  const states = textsOf(args['status']);
  const accounts = states === undefined || states.includes('active') ? personality.accounts : [];
  return done({
    accounts: accounts.map(({ id, name }) => ({
      account_id: id,
      name,
      status: 'active',
      billing: 'operator',
      account_scope: 'operator',
    })),
  });
}

/** An agent that keeps accounts sells only in one of them. */
export function accountFault({ personality }: Agent, args: JsonObject): readonly Refusal[] {
  const { accounts } = personality;
  if (accounts.length === 0) return [];
  const named = textOf(objectOf(args['account'])?.['account_id']);
  if (accounts.some(({ id }) => id === named)) return [];
  return named === undefined
    ? [refusal('ACCOUNT_REQUIRED', 'name the account that buys', 'account.account_id')]
    : [refusal('ACCOUNT_NOT_FOUND', 'there is no such account here', 'account.account_id')];
}
