import type { AccountRepository, AccountOfSomebody } from '@switchyard/tenancy';
import { defined, err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, reasonText } from '../platform/routes/fields.js';
import { madeSortQuery, reachFilter, uuidText } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';

interface AccountsDeps {
  readonly accounts: Pick<AccountRepository, 'everybodys' | 'hold'>;
  readonly clock: Clock;
}

const status = z.enum(['active', 'payment_required', 'suspended']);

/** An open account as admins see it. */
const account = z.strictObject({
  account_id: z.string(),
  principal_id: z.string(),
  principal: z.string(),
  brand_domain: z.string(),
  brand_id: z.string().exactOptional(),
  operator: z.string(),
  sandbox: z.boolean(),
  status,
  reason: z.string().exactOptional(),
  held_at: instant.exactOptional(),
  created_at: instant,
});

const standing = z.strictObject({ status, reason: reasonText });
type Standing = z.output<typeof standing>;

/** Accounts of a page by default. */
const usualAccounts = 500;

const route = routesOn<AccountsDeps>();

/** The accounts of all principals, for callers who manage principals. A caller's own are in `list_accounts`. */
export const accountRoutes = [
  route({
    method: 'get',
    path: '/v1/accounts',
    id: 'list_all_accounts',
    summary: 'The open accounts of all principals, with their status',
    needs: 'principals.read',
    query: z.strictObject({
      principal_id: uuidText.exactOptional(),
      brand: z.string().min(1).max(253).toLowerCase().exactOptional().describe('Domain of a brand.'),
      status: status.exactOptional(),
      ...madeSortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ accounts: z.array(account), next_cursor: nextCursor }),
    example: {
      accounts: [
        {
          account_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
          principal: 'nova',
          brand_domain: 'nova.example',
          operator: 'agency.example',
          sandbox: false,
          status: 'suspended',
          reason: 'An invoice is disputed.',
          held_at: '2026-11-21T12:00:00.000Z',
          created_at: '2026-11-01T09:00:00.000Z',
        },
      ],
    },
    handle: async ({ accounts }, { caller, query }) => {
      const { principal_id: principalId, brand: brandDomain, status } = query;
      const filter = {
        ...reachFilter(caller, 'principals', 'read'),
        ...defined({ principalId, brandDomain, status, sort: query.sort }),
      };
      const page = await listPage(
        { id: 'list_all_accounts', caller, query: { limit: usualAccounts, ...query } },
        (read) => accounts.everybodys(scopeOf(caller), { ...filter, ...read }),
        ({ createdAt, id }) => [createdAt, id],
      );
      return page.ok ? ok({ accounts: page.value.rows.map(viewOf), ...page.value.next }) : page;
    },
  }),
  route({
    method: 'post',
    path: '/v1/accounts/{id}/status',
    id: 'set_account_status',
    summary: 'Suspend an account, also for payment, or reactivate it, with a reason',
    needs: 'principals.write',
    body: standing,
    answer: account,
    handle: (deps, { caller, params, body }) => setStatus(deps, caller, params.id, body),
  }),
];

/**
 * Holds or releases an account: from active to payment_required or suspended, and from there back. `CONFLICT` for any
 * other change, `NOT_FOUND` for an account that is not open here.
 */
async function setStatus(
  deps: AccountsDeps,
  caller: PrincipalCaller,
  id: string,
  standing: Standing,
): Promise<Result<z.output<typeof account>, AdminFailure>> {
  const found = await find(deps, caller, id);
  if (found === undefined) return err(notFound);
  const change = {
    reason: standing.reason,
    ...(found.hold === undefined ? {} : { from: found.hold }),
    ...(standing.status === 'active' ? {} : { to: standing.status }),
  };
  if (!mayFollow(found, standing)) return err(illegal(found, standing));
  if (!(await deps.accounts.hold(caller, found.id, change, deps.clock.now()))) return err(changedMeanwhile);
  const after = await find(deps, caller, id);
  return after === undefined ? err(notFound) : ok(viewOf(after));
}

async function find(
  { accounts }: AccountsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<AccountOfSomebody | undefined> {
  if (!isUuid(id)) return undefined;
  const filter = { id, limit: 1, ...reachFilter(caller, 'principals', 'write') };
  return (await accounts.everybodys(scopeOf(caller), filter))[0];
}

/** An account must be released before another hold, so that each hold has its own end. */
function mayFollow(account: AccountOfSomebody, { status }: Standing): boolean {
  const now = statusOf(account);
  return now !== status && (now === 'active' || status === 'active');
}

function illegal(account: AccountOfSomebody, { status }: Standing): AdminFailure {
  const now = statusOf(account);
  const message = now === status ? `It is ${status} already.` : `From ${now} it becomes active first.`;
  return { code: 'CONFLICT', message, field: 'status' };
}

function statusOf({ hold }: AccountOfSomebody): Standing['status'] {
  return hold ?? 'active';
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No open account has this id.', field: 'id' };
const changedMeanwhile: AdminFailure = {
  code: 'CONFLICT',
  message: 'This account was changed meanwhile.',
  recovery: 'transient',
};

function viewOf(account: AccountOfSomebody) {
  const { brandId, holdReason, heldAt } = account;
  return {
    account_id: account.id,
    principal_id: account.principalId,
    principal: account.principalName,
    brand_domain: account.brandDomain,
    ...(brandId !== '' && { brand_id: brandId }),
    operator: account.operator,
    sandbox: account.isSandbox,
    status: statusOf(account),
    ...(holdReason !== undefined && { reason: holdReason }),
    ...(heldAt !== undefined && { held_at: isoOf(heldAt) }),
    created_at: isoOf(account.createdAt),
  };
}
