import { bindUse, type AccountsRead, type Connection, type SellerAccount } from '@switchyard/sellers';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { instant } from '../../platform/routes/fields.js';
import { uuidText } from '../../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../../platform/routes/list-page.js';
import { routesOn } from '../../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { findSeller, mayManage, noClient, type FindSellerDeps } from './find-seller.js';
import { withBindingKey } from './client-accounts.js';
import { readSellerAccounts, type ReadAccountsDeps } from './read-seller-accounts.js';

export interface SellerAccountsDeps extends ReadAccountsDeps, FindSellerDeps {
  readonly vault: Pick<Vault, 'withSecret'>;
}

const account = z.strictObject({
  account_id: z.string().describe("The seller's id."),
  name: z.string().exactOptional(),
  status: z.enum(['active', 'pending_approval', 'rejected', 'payment_required', 'suspended', 'closed']),
  brand_domain: z.string().exactOptional(),
  brand_id: z.string().exactOptional(),
  operator: z.string().exactOptional(),
  billing: z.string().exactOptional(),
  payment_terms: z.string().exactOptional(),
  sandbox: z.boolean(),
  setup: z
    .strictObject({ message: z.string().exactOptional(), host: z.string().exactOptional() })
    .exactOptional()
    .describe('What the seller says is still to be done, and the host of its page for it.'),
  clients: z
    .array(z.strictObject({ client_id: z.string(), client: z.string() }))
    .describe('The clients that buy in it, of those that you may see.'),
  is_default: z.boolean().describe('Whether brands without an account of their own buy in it.'),
  first_seen: instant,
  last_seen: instant,
  missing_since: instant.exactOptional().describe('Since when the seller lists it no more.'),
});

const example = {
  account_id: 'acc_17',
  name: 'Nova',
  status: 'active',
  brand_domain: 'nova.example',
  operator: 'agency.example',
  billing: 'agent',
  sandbox: false,
  clients: [{ client_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77', client: 'Nova Foods' }],
  is_default: false,
  first_seen: '2026-11-21T12:00:00.000Z',
  last_seen: '2026-11-29T12:00:00.000Z',
} as const;

const read = z.strictObject({
  seller: z.string(),
  accounts: z.array(account),
  added: z.array(z.string()),
  changed: z.array(z.strictObject({ account_id: z.string(), from: z.string(), to: z.string() })),
  missing: z.array(z.string()),
});

const use = z.strictObject({
  seller: z.string(),
  client_id: z.string(),
  account_id: z.string().exactOptional().describe('Absent: the client has no account of its own there.'),
});

/** Accounts of a page by default. */
const usualAccounts = 200;
/** How long a reading of a seller's accounts is shown without a new one, in milliseconds. */
const freshMs = 60_000;

const route = routesOn<SellerAccountsDeps>();

/** Our accounts at a seller, and which client buys in which of them. */
export const sellerAccountRoutes = [
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/accounts',
    id: 'list_seller_accounts',
    summary: 'Our accounts at a seller, with the clients that buy in them, as it lists them',
    needs: 'sellers.read',
    query: z.strictObject({ ...pageQuery }),
    answer: z.strictObject({ accounts: z.array(account), next_cursor: nextCursor }),
    example: { accounts: [example] },
    handle: async (deps, { caller, params, query }) => {
      const found = await findSeller(deps, caller, params.slug);
      return found.ok ? listAccountsAt(deps, caller, found.value, query) : found;
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/accounts/sync',
    id: 'sync_seller_accounts',
    summary: 'Ask a seller for our accounts there now, and store them',
    needs: 'sellers.write',
    answer: read,
    example: { seller: 'acme', accounts: [example], added: ['acc_17'], changed: [], missing: [] },
    handle: async (deps, { caller, params }) => {
      const found = await findSeller(deps, caller, params.slug);
      if (!found.ok) return found;
      const changes = await readSellerAccounts(deps, caller, found.value);
      if (!changes.ok) return changes;
      const listed = await listAccountsAt(deps, caller, found.value, { limit: usualAccounts });
      return listed.ok ? ok(readView(found.value.slug, listed.value.accounts, changes.value)) : listed;
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/accounts/use',
    id: 'use_seller_account',
    summary: 'Give a client an account at a seller: its brands buy in that one from now on',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      client: z.uuid().describe('Id of the client.'),
      account_id: z.string().min(1).max(300).describe("The seller's id of the account."),
    }),
    answer: use,
    example: { seller: 'acme', client_id: example.clients[0].client_id, account_id: 'acc_17' },
    handle: (deps, { caller, params, body }) => useAccount(deps, caller, params.slug, body),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/accounts/release',
    id: 'release_seller_account',
    summary: 'Take the account at a seller from a client; its running buys stay in it',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({ client: z.uuid().describe('Id of the client.') }),
    answer: use,
    example: { seller: 'acme', client_id: example.clients[0].client_id },
    handle: async (deps, { caller, params, body }) => {
      const found = await findSeller(deps, caller, params.slug);
      if (!found.ok) return found;
      if (!mayManage(caller, body.client)) return err(noClient);
      const one = { connectionId: found.value.id, clientId: body.client };
      if (!(await deps.sellerAccounts.release(scopeOf(caller), one)))
        return err({
          code: 'CONFLICT',
          message: `This client has no account of its own at ${params.slug}.`,
          field: 'client',
        });
      return ok({ seller: params.slug, client_id: body.client });
    },
  }),
];

async function listAccountsAt(
  deps: SellerAccountsDeps,
  caller: PrincipalCaller,
  connection: Connection,
  query: z.output<ReturnType<typeof pageShape>>,
) {
  const reach = reachOf(caller, 'sellers', 'read');
  const filter = { connectionId: connection.id, ...(reach.kind === 'limited' ? { reach } : {}) };
  const scope = scopeOf(caller);
  const shownFirst = query.cursor === undefined && reach.kind === 'everything';
  // A seller that cannot be asked now is shown as it was read last.
  if (shownFirst && connection.state === 'live' && !(await isFresh(deps, caller, connection)))
    await readSellerAccounts(deps, caller, connection);
  const page = await listPage(
    { id: 'list_seller_accounts', caller, query: { limit: usualAccounts, ...query } },
    (rows) => deps.sellerAccounts.list(scope, { ...filter, ...rows }),
    ({ accountId }) => [accountId],
  );
  if (!page.ok) return page;
  const accounts = page.value.rows.map((row) => viewOf(row, connection));
  return ok({ accounts, ...page.value.next });
}

const pageShape = () => z.strictObject({ ...pageQuery });

async function isFresh(
  { sellerAccounts, clock }: SellerAccountsDeps,
  caller: PrincipalCaller,
  { id }: Connection,
): Promise<boolean> {
  const [first] = await sellerAccounts.list(scopeOf(caller), { connectionId: id, limit: 1 });
  return first !== undefined && clock.now() - first.lastSeen < freshMs;
}

async function useAccount(
  deps: SellerAccountsDeps,
  caller: PrincipalCaller,
  slug: string,
  { client, account_id: accountId }: { readonly client: string; readonly account_id: string },
): Promise<Result<z.output<typeof use>, AdminFailure>> {
  const found = await findSeller(deps, caller, slug);
  if (!found.ok) return found;
  const scope = scopeOf(caller);
  const clientId = uuidText.parse(client);
  if (!mayManage(caller, clientId)) return err(noClient);
  if (found.value.hasAccounts !== true) {
    const listed = await readSellerAccounts(deps, caller, found.value);
    if (!listed.ok) return listed;
  }
  const assigned = { connectionId: found.value.id, clientId, accountId, since: deps.clock.now() };
  const bound = await withBindingKey(deps.vault, scope, found.value, (secret) => ({
    ...assigned,
    binding: bindUse(scope, secret, assigned),
  }));
  if (!bound.ok) return err({ code: 'UNAVAILABLE', message: 'The vault cannot be used at the moment.' });
  const done = await deps.sellerAccounts.use(scope, bound.value, caller.principalId);
  if (done === 'no_client') return err(noClient);
  if (done === 'no_account')
    return err({
      code: 'NOT_FOUND',
      message: `The seller ${slug} lists no account with this id to us.`,
      field: 'account_id',
      suggestion: `See them: switchyard accounts sync --seller ${slug}`,
    });
  return ok({ seller: slug, client_id: clientId, account_id: accountId });
}

function readView(
  seller: string,
  accounts: readonly z.output<typeof account>[],
  { added, changed, missing }: AccountsRead,
): z.output<typeof read> {
  return {
    seller,
    accounts: [...accounts],
    added: [...added],
    changed: changed.map(({ accountId, from, to }) => ({ account_id: accountId, from, to })),
    missing: [...missing],
  };
}

function viewOf(row: SellerAccount, { account: own }: Connection): z.output<typeof account> {
  return {
    account_id: row.accountId,
    status: row.status,
    sandbox: row.isSandbox,
    clients: row.clients.map(({ id, name }) => ({ client_id: id, client: name })),
    is_default: own !== undefined && 'accountId' in own && own.accountId === row.accountId,
    first_seen: isoOf(row.firstSeen),
    last_seen: isoOf(row.lastSeen),
    ...defined({
      name: row.name,
      brand_domain: row.brandDomain,
      brand_id: row.brandId,
      operator: row.operator,
      billing: row.billing,
      payment_terms: row.paymentTerms,
      setup: row.setup,
    }),
    ...(row.missingSince === undefined ? {} : { missing_since: isoOf(row.missingSince) }),
  };
}
