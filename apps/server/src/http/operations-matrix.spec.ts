import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashToken, newToken, permissionTable, type Permissions, type TokenMatch } from '@switchyard/tenancy';
import { adminRows } from './rest/admin-rows.js';
import { now, specDoors, type SpecDoors } from './testkit/doors.js';

/**
 * Who may do what outside the tasks: the one permission that opens each route. The rule is written here a second time on
 * purpose, so that no route is added, and none is opened wider, without somebody deciding it.
 */
const cells: Readonly<Record<string, `${string}.${string}`>> = {
  instance: 'sellers.read',
  list_events: 'reports.read',
  show_event: 'reports.read',
  admit_event: 'ledger.approve',
  dismiss_event: 'ledger.approve',
  list_approvals: 'media_buys.read',
  answer_approval: 'media_buys.approve',
  dismiss_approval: 'media_buys.approve',
  list_all_accounts: 'principals.read',
  set_account_status: 'principals.write',
  list_alarms: 'sellers.read',
  acknowledge_alarm: 'sellers.approve',
  list_refused_signatures: 'principals.read',
  list_delegations: 'delegations.read',
  grant_delegation: 'delegations.write',
  revoke_delegation: 'delegations.delete',
  relay_address: 'delegations.read',
  list_custody: 'delegations.read',
  show_custody: 'delegations.read',
  export_custody: 'delegations.read',
  verify_custody: 'delegations.read',
  list_sellers: 'sellers.read',
  add_seller: 'sellers.write',
  import_sellers: 'sellers.write',
  list_buys: 'media_buys.read',
  show_buy: 'media_buys.read',
  settle_leg: 'media_buys.approve',
  ledger_spend: 'ledger.read',
  ledger_verify: 'ledger.read',
  ledger_entries: 'ledger.read',
  ledger_export: 'ledger.read',
  list_credentials: 'sellers.read',
  rotate_credential: 'sellers.write',
  rewrap_credentials: 'sellers.approve',
  list_keys: 'principals.read',
  rotate_key: 'principals.write',
  list_principals: 'principals.read',
  add_principal: 'principals.write',
  revoke_principal: 'principals.delete',
  add_token: 'principals.write',
  rotate_token: 'principals.write',
  add_identity: 'principals.write',
  remove_identity: 'principals.delete',
  revoke_token: 'principals.delete',
  list_signers: 'principals.read',
  add_signer: 'principals.write',
  remove_signer: 'principals.delete',
  mint_token: 'principals.write',
};

const every = Object.entries(permissionTable).flatMap(([area, kinds]) =>
  kinds.map((kind) => `${area}.${kind}`),
);

function holding(pairs: readonly string[]): Permissions {
  const held: Record<string, string[]> = {};
  for (const pair of pairs) {
    const [area = '', kind = ''] = pair.split('.');
    (held[area] ??= []).push(kind);
  }
  return held;
}

/** A token for each set of permissions that is asked for. */
const tokens = new Map<string, { readonly text: string; readonly match: TokenMatch }>();

function tokenOf(pairs: readonly string[]): string {
  const name = pairs.join(' ');
  const known = tokens.get(name);
  if (known !== undefined) return known.text;
  const { text, hash } = newToken(Buffer.alloc(32, tokens.size + 1));
  const id = `00000000-0000-4000-8000-${String(tokens.size + 1).padStart(12, '0')}`;
  const principal = {
    id,
    organizationId: '00000000-0000-4000-8000-00000000000a',
    name,
    kind: 'service' as const,
    permissions: holding(pairs),
    transitional: false,
    legacy: false,
  };
  const token = { id, principalId: id, scheme: 'bearer' as const, hash, label: 'spec', createdAt: 0 };
  tokens.set(name, { text, match: { principal, token: { ...token, expiresAt: now + 60_000 } } });
  return text;
}

let doors: SpecDoors;
beforeAll(async () => {
  doors = await specDoors({}, undefined, undefined, undefined, undefined, undefined, {
    principals: {
      findByTokenHash: (hash) =>
        Promise.resolve([...tokens.values()].find(({ text }) => hashToken(text).equals(hash))?.match),
    },
  });
});
afterAll(() => doors.close());

async function statusOf(row: (typeof adminRows)[number], token?: string): Promise<number> {
  const answer = await fetch(doors.url + row.path.replaceAll(/\{\w+\}/g, 'x'), {
    method: row.method.toUpperCase(),
    headers: {
      ...(row.method === 'post' ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // Nothing that any route takes: who may is decided before what is asked is looked at.
    ...(row.method === 'post' ? { body: '[' } : {}),
  });
  await answer.arrayBuffer();
  return answer.status;
}

describe('access to every route of administration', () => {
  it.each(adminRows.map((row) => [row.id, row] as const))(
    '%s is open to its one permission, and to nobody without it',
    async (id, row) => {
      const needed = cells[id] ?? 'no cell';
      expect(every).toContain(needed);
      expect([id, 'nobody', await statusOf(row)]).toEqual([id, 'nobody', 401]);
      expect([id, 'none', await statusOf(row, tokenOf([]))]).toEqual([id, 'none', 403]);
      const others = every.filter((one) => one !== needed);
      expect([id, 'all others', await statusOf(row, tokenOf(others))]).toEqual([id, 'all others', 403]);
      expect([401, 403]).not.toContain(await statusOf(row, tokenOf([needed])));
    },
  );

  it('has a cell for each of them, and none for what is no route', () => {
    expect(Object.keys(cells).toSorted()).toEqual(adminRows.map(({ id }) => id).toSorted());
  });
});
