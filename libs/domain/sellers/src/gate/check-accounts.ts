import { listAccounts } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { wantsAccountForProducts, wantsListedAccount } from '../accounts/client-account.js';
import { cut } from '../keys/discovery-failure.js';
import { objectsIn } from '../keys/read-adagents.js';
import { unopened, type CheckResult } from './check.js';
import type { GateContext } from './gate-context.js';

const mostAccounts = 200;

/**
 * Reads our accounts there, if it lists them. One that has to be named and is the only one is used; of several a person chooses,
 * or leaves the choice to the clients where questions for products name none.
 */
export async function checkAccounts(context: GateContext): Promise<CheckResult> {
  const { tools, dialect, account, credentialId } = context.connection();
  const tool = listAccounts.names[dialect].find((name) => Object.hasOwn(tools ?? {}, name));
  const named = account !== undefined && 'accountId' in account ? account.accountId : undefined;
  if (account !== undefined && (named === undefined || tool === undefined)) return accountNamed;
  if (tool === undefined)
    return { state: 'skipped', code: 'not_listed', words: 'It lists no accounts to us.' };
  const target = await context.target();
  if (target === undefined) return unopened;
  const listed = await context.inTime((signal) => context.transport.call(target, { tool, args: {} }, signal));
  const all = listed.ok ? objectsIn(listed.value.payload['accounts']) : [];
  const rows = usable(all.slice(0, mostAccounts));
  // An account may be on a later page, which is not read here.
  const { pagination } = listed.ok ? listed.value.payload : {};
  const isPart = all.length >= mostAccounts || (isJsonObject(pagination) && pagination['has_more'] === true);
  if (named !== undefined && (rows.length === 0 || isPart)) return accountNamed;
  if (rows.length === 0 && credentialId === undefined)
    return {
      state: 'skipped',
      code: 'not_listed',
      words: 'Without a credential it cannot know which accounts are ours.',
    };
  // Nothing real is bought in a sandbox account.
  const active = rows.filter(
    ({ status, sandbox }) => (status === undefined || status === 'active') && sandbox !== true,
  );
  if (named !== undefined) return judgeNamed(named, rows, active);
  return judgeAccounts(context, rows, active);
}

/** Each account once. An id that cannot be shown as it is, such as one with a line break, cannot be given back. */
function usable(rows: readonly JsonObject[]): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const row of rows) {
    const { account_id: id } = row;
    if (typeof id === 'string' && id !== '' && cut(id) === id && !found.has(id)) found.set(id, row);
  }
  return [...found.values()];
}

const accountNamed: CheckResult = { state: 'passed', code: 'named', words: 'An account is named for it.' };

/** An account that the seller does not list is not ours there: buys in it would be refused. */
function judgeNamed(named: string, rows: readonly JsonObject[], active: readonly JsonObject[]): CheckResult {
  const found = rows.find(({ account_id: id }) => id === named);
  const evidence: JsonObject = { accounts: active.slice(0, 20).flatMap(shown) };
  if (found === undefined)
    return {
      state: 'needs_person',
      code: 'account_unknown',
      words: `It lists no account ${cut(named)} to us.`,
      next: chooseOne,
      evidence,
    };
  const { status } = found;
  if (status === undefined || status === 'active') return accountNamed;
  return {
    ...accountNamed,
    words: `The account ${cut(named)} is ${typeof status === 'string' ? cut(status) : 'not active'} there: new buys in it wait.`,
  };
}

const chooseOne = 'Choose one: switchyard sellers add INPUT --slug SLUG --account ID';

async function judgeAccounts(
  context: GateContext,
  rows: readonly JsonObject[],
  active: readonly JsonObject[],
): Promise<CheckResult> {
  const connection = context.connection();
  const isForProducts = wantsAccountForProducts(connection);
  const isRequired = isForProducts || wantsListedAccount(connection);
  const evidence: JsonObject = { accounts: active.slice(0, 20).flatMap(shown) };
  const count = `${active.length} active account${active.length === 1 ? '' : 's'}`;
  const mayUseNone = !isForProducts && active.length > 1;
  if (rows.length === 0 || (!isRequired && active.length < 2) || (mayUseNone && context.goesByRule))
    return {
      state: 'passed',
      code: 'listed',
      words: mayUseNone
        ? `It lists ${count}, and none is chosen: each client buys in the one that it is given.`
        : `It lists ${count}${isRequired ? '' : ', and requires none for a question'}.`,
      evidence,
    };
  const [only] = active;
  const id = only?.['account_id'];
  if (active.length === 1 && typeof id === 'string') {
    await context.useAccount({ accountId: id });
    return {
      state: 'passed',
      code: 'only_one',
      words: `Our only account there is used: ${cut(id)}.`,
      evidence,
    };
  }
  return {
    state: 'needs_person',
    code: mayUseNone ? 'choose_account_or_none' : 'choose_account',
    words: mayUseNone
      ? `It lists ${count}, and none is chosen.`
      : `It requires an account, and lists ${count}.`,
    next: `${chooseOne}${mayUseNone ? '. With --yes instead none is chosen, and each client buys in the one that it is given.' : ''}`,
    evidence,
  };
}

const shown = ({ account_id: id, name }: JsonObject): JsonObject[] =>
  typeof id === 'string' ? [{ account_id: cut(id), name: typeof name === 'string' ? cut(name) : '' }] : [];
