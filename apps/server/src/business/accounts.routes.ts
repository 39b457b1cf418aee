import { lists } from '@switchyard/store';
import { reachOf, type AccountRepository } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { reasonText } from '../platform/routes/fields.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';

interface AccountsDeps extends ListDeps {
  readonly accounts: Pick<AccountRepository, 'hold'>;
  readonly clock: Clock;
}

const status = z.enum(['active', 'payment_required', 'suspended']);

const { view: account, routes: listed } = resource(lists.accountList, {
  noun: 'account_row',
  plural: 'accounts',
  id: 'list_all_accounts',
  area: 'principals',
  summary: 'The open accounts of all principals, with their status',
  example: {
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
  query: { brand: z.string().min(1).max(253).toLowerCase() },
  usual: 500,
  command: {
    word: 'all',
    title: 'your accounts: pairs of brand and operator',
    summary: 'list the open accounts of all principals, with their status',
    columns: {
      Account: 'account_id',
      Principal: 'principal',
      Brand: 'brand_domain',
      Operator: 'operator',
      Status: 'status',
      Why: 'reason',
    },
    none: 'There are no accounts.',
  },
});
type Account = z.output<typeof account>;

const standing = z.strictObject({ status, reason: reasonText });
type Standing = z.output<typeof standing>;

const route = routesOn<AccountsDeps>();

/** The accounts of all principals, for callers who manage principals. A caller's own are in `list_accounts`. */
export const accountRoutes = [
  ...listed,
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
  const { accounts, clock } = deps;
  const found = await find(deps, caller, id);
  if (found === undefined) return err(notFound);
  const { account_id: accountId, status: from } = found;
  const { status: to, reason } = standing;
  const change = { reason, ...(from !== 'active' && { from }), ...(to !== 'active' && { to }) };
  if (!mayFollow(found, standing)) return err(illegal(found, standing));
  if (!(await accounts.hold(caller, accountId, change, clock.now()))) return err(changedMeanwhile);
  const after = await find(deps, caller, id);
  return after === undefined ? err(notFound) : ok(after);
}

async function find(
  { lists: reader }: AccountsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Account | undefined> {
  const row = await reader.one(caller, lists.accountList, reachOf(caller, 'principals', 'write'), id);
  return row && account.parse(shownRow(lists.accountList, row));
}

/** An account must be released before another hold, so that each hold has its own end. */
function mayFollow({ status: now }: Account, { status }: Standing): boolean {
  return now !== status && (now === 'active' || status === 'active');
}

function illegal({ status: now }: Account, { status }: Standing): AdminFailure {
  const message = now === status ? `It is ${status} already.` : `From ${now} it becomes active first.`;
  return { code: 'CONFLICT', message, field: 'status' };
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No open account has this id.', field: 'id' };
const changedMeanwhile: AdminFailure = {
  code: 'CONFLICT',
  message: 'This account was changed meanwhile.',
  recovery: 'transient',
};
