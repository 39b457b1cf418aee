import { describe, expect, it } from '@jest/globals';
import { ok, type JsonObject } from '@switchyard/values';
import { checkAccounts } from './check-accounts.js';
import type { GateContext } from './gate-context.js';

const account = (id: string, more: JsonObject = {}): JsonObject => ({
  account_id: id,
  status: 'active',
  ...more,
});

/** The result of the check at a seller that lists these accounts, and the account that is used after it. */
async function judged(
  accounts: readonly JsonObject[],
  {
    declared = {},
    named,
    goesByRule = false,
    shows = false,
  }: {
    readonly declared?: JsonObject;
    readonly named?: string;
    readonly goesByRule?: boolean;
    readonly shows?: boolean;
  } = {},
) {
  const used: unknown[] = [];
  const context = {
    connection: () => ({
      tools: { list_accounts: [] },
      dialect: 'adcp',
      capabilities: { original: { account: declared } },
      ...(named !== undefined && { account: { accountId: named } }),
    }),
    target: () => Promise.resolve({}),
    inTime: (work: (signal: AbortSignal) => unknown) => work(new AbortController().signal),
    transport: { call: () => Promise.resolve(ok({ payload: { accounts: [...accounts] }, isError: false })) },
    useAccount: (chosen: unknown) => Promise.resolve(used.push(chosen)),
    goesByRule,
  } as unknown as GateContext;
  const { state, code, evidence } = await checkAccounts(context);
  return state === 'needs_person' && shows ? [state, code, evidence] : [state, code, ...used];
}

const two = [account('a'), account('b')];

describe('the accounts of a seller', () => {
  it('of which several are active wait for a person, unless it is said that a rule counts and clients may have theirs', async () => {
    expect(await judged(two)).toEqual(['needs_person', 'choose_account_or_none']);
    expect(await judged(two, { goesByRule: true })).toEqual(['passed', 'listed']);
    const byId = { declared: { require_operator_auth: true } };
    expect(await judged(two, byId)).toEqual(['needs_person', 'choose_account_or_none']);
    expect(await judged(two, { ...byId, goesByRule: true })).toEqual(['passed', 'listed']);
    const forProducts = { declared: { required_for_products: true }, goesByRule: true };
    expect(await judged(two, forProducts)).toEqual(['needs_person', 'choose_account']);
  });

  it('leave no choice where one alone is active and no sandbox: it is used where one has to be named', async () => {
    const one = [account('a'), account('b', { status: 'suspended' }), account('c', { sandbox: true })];
    expect(await judged(one)).toEqual(['passed', 'listed']);
    expect(await judged(one, { declared: { require_operator_auth: true } })).toEqual([
      'passed',
      'only_one',
      { accountId: 'a' },
    ]);
  });

  it('are offered once each, and only by an id that can be given back as it is', async () => {
    const odd = [
      account('a\n1'),
      account(''),
      account('x'.repeat(5_000)),
      { account_id: 7, status: 'active' },
    ];
    expect(await judged([account('a'), account('a', { name: 'Again' }), ...odd])).toEqual([
      'passed',
      'listed',
    ]);
    expect(await judged([...two, ...odd], { shows: true })).toEqual([
      'needs_person',
      'choose_account_or_none',
      {
        accounts: [
          { account_id: 'a', name: '' },
          { account_id: 'b', name: '' },
        ],
      },
    ]);
  });

  it('hold a named one that is not among them, and none where the seller lists nothing', async () => {
    expect(await judged(two, { named: 'x' })).toEqual(['needs_person', 'account_unknown']);
    expect(await judged(two, { named: 'b' })).toEqual(['passed', 'named']);
    expect(await judged([], { named: 'x' })).toEqual(['passed', 'named']);
  });
});
