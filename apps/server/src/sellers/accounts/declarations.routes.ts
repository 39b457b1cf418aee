import type { ReadPorts } from '@switchyard/buys';
import type { SellerAccounts } from '@switchyard/sellers';
import { lists, type AccountDeclaration, type AccountDeclarations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, isUuid, ok, storedDomain, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { shownRow } from '../../platform/routes/declared-view.js';
import { organizationWide, uuidText } from '../../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../../platform/routes/resource.js';
import { routesOn } from '../../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { declareAt, declaredAccount, declaredAnswer, declaringAs, storedAccount } from './declare-account.js';
import { findSeller, type FindSellerDeps } from './find-seller.js';

export interface DeclarationsDeps extends ListDeps, FindSellerDeps {
  readonly declarations: AccountDeclarations;
  readonly sellerAccounts: Pick<SellerAccounts, 'standings' | 'record'>;
  readonly ports: ReadPorts;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** The domain of the organization, which operates its accounts. */
  readonly domainOf: (scope: TenantScope) => Promise<string>;
}

const missing: AdminFailure = { code: 'NOT_FOUND', message: 'There is no declaration with this id.' };

const declared = resource(lists.declarationList, {
  noun: 'declaration',
  plural: 'declarations',
  area: 'sellers',
  summary: 'Accounts that were declared at sellers, or wait for another person',
  views: { account: declaredAccount, preview: declaredAnswer, outcome: declaredAnswer },
  example: {
    declaration_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d12',
    seller: 'acme',
    state: 'waiting',
    account: { brand_domain: 'nova.example', operator: 'agency.example', billing: 'agent' },
    preview: { effect: 'created', status: 'pending_approval', is_trial: true, errors: [], warnings: [] },
    made_by: 'ada',
    created_at: '2026-11-29T12:00:00.000Z',
  },
  show: { summary: 'One declaration of an account', missing },
  command: {
    title: 'declarations: accounts that were declared at sellers',
    summary: 'list declarations of accounts, newest first',
    columns: {
      Seller: 'seller',
      State: 'state',
      'Made by': 'made_by',
      'Decided by': 'decided_by',
      Made: 'created_at',
      Declaration: 'declaration_id',
    },
    none: 'No account was declared.',
  },
});

const route = routesOn<DeclarationsDeps>();

/** Accounts that we declare at sellers: what the seller would do first, then another person, then the seller. */
export const declarationRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/accounts/declare',
    id: 'declare_seller_account',
    summary:
      'Ask a seller what it would do with an account for a brand; it is sent once another person approves it',
    needs: 'sellers.write',
    byPerson: true,
    status: 201,
    body: declaredAccount.extend({
      operator: declaredAccount.shape.operator
        .exactOptional()
        .describe('The domain of the organization unless set.'),
      client: z
        .uuid()
        .exactOptional()
        .describe('Declare it with the own login of this client, if it has one.'),
    }),
    answer: declared.view,
    example: declared.example,
    handle: (deps, { caller, params, body }) => declare(deps, caller, params.slug, body),
  }),
  route({
    method: 'post',
    path: '/v1/declarations/{id}/approve',
    id: 'approve_declaration',
    summary: 'Declare the account at its seller; another person than its maker does that',
    needs: 'sellers.approve',
    byPerson: true,
    answer: declared.view,
    example: {
      ...declared.example,
      state: 'sent',
      outcome: { ...declared.example.preview, account_id: 'acc_17', is_trial: false },
      decided_by: 'ben',
      decided_at: '2026-11-29T12:05:00.000Z',
    },
    handle: (deps, { caller, params }) => approve(deps, caller, params.id),
  }),
  route({
    method: 'post',
    path: '/v1/declarations/{id}/withdraw',
    id: 'withdraw_declaration',
    summary: 'Take a declaration back that nobody has approved',
    needs: 'sellers.write',
    byPerson: true,
    answer: declared.view,
    example: { ...declared.example, state: 'withdrawn' },
    handle: async (deps, { caller, params: { id } }) => {
      const found = await findWaiting(deps, caller, id, 'write');
      if (!found.ok) return found;
      const ended = { state: 'withdrawn', by: caller.principalId } as const;
      if (!(await deps.declarations.end(scopeOf(caller), id, ended, deps.clock.now()))) return err(over);
      return shown(deps, caller, id);
    },
  }),
];

type Shown = Result<z.output<typeof declared.view>, AdminFailure>;

async function declare(
  deps: DeclarationsDeps,
  caller: PrincipalCaller,
  slug: string,
  {
    client,
    operator: named,
    ...wanted
  }: Omit<z.output<typeof declaredAccount>, 'operator'> & {
    readonly operator?: string;
    readonly client?: string;
  },
): Promise<Shown> {
  const narrow = organizationWide(caller, 'sellers', 'write');
  if (narrow !== undefined) return err(narrow);
  const found = await findSeller(deps, caller, slug);
  if (!found.ok) return found;
  const clientId = client === undefined ? undefined : uuidText.parse(client);
  const operator = storedDomain(named ?? (await deps.domainOf(scopeOf(caller))));
  const account = { ...wanted, brand_domain: storedDomain(wanted.brand_domain), operator };
  const at = await declaringAs(deps.sellerAccounts, caller, found.value, clientId);
  const asked = await declareAt(deps.ports, caller, at, { account, key: deps.newId(), dryRun: true });
  if (!asked.ok) return asked;
  const id = deps.newId();
  await deps.declarations.add(
    scopeOf(caller),
    {
      id,
      connectionId: found.value.id,
      ...defined({ clientId }),
      account,
      preview: asked.value.answer,
      madeBy: caller.principalId,
    },
    deps.clock.now(),
  );
  return shown(deps, caller, id);
}

async function approve(deps: DeclarationsDeps, caller: PrincipalCaller, id: string): Promise<Shown> {
  const waiting = await findWaiting(deps, caller, id, 'approve');
  if (!waiting.ok) return waiting;
  const { connectionId, clientId, account } = waiting.value;
  const scope = scopeOf(caller);
  if (await deps.declarations.wantsAnother(scope, waiting.value, caller.principalId))
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message:
        'Whoever declared it, and whoever can act as that person, cannot approve it: another person must.',
    });
  const connection = await deps.connections.byId(scope, connectionId);
  if (connection?.state !== 'live')
    return err({ code: 'CONFLICT', message: 'This seller is not live.', field: 'id' });
  const at = await declaringAs(deps.sellerAccounts, caller, connection, clientId);
  const wanted = { account: storedAccount(account), key: id, dryRun: false };
  const sent = await declareAt(deps.ports, caller, at, wanted);
  if (!sent.ok) return sent;
  const { answer, accounts } = sent.value;
  const now = deps.clock.now();
  // The seller has them, whatever became of the declaration meanwhile.
  if (accounts.length > 0)
    await deps.sellerAccounts.record(
      scope,
      connectionId,
      { accounts, isWhole: false, source: 'declared' },
      now,
    );
  const ended = { state: 'sent', by: caller.principalId, outcome: answer } as const;
  if (!(await deps.declarations.end(scope, id, ended, now))) return err(over);
  return shown(deps, caller, id);
}

const over: AdminFailure = { code: 'CONFLICT', message: 'It was sent or withdrawn before.', field: 'id' };

async function findWaiting(
  { declarations }: Pick<DeclarationsDeps, 'declarations'>,
  caller: PrincipalCaller,
  id: string,
  kind: 'write' | 'approve',
): Promise<Result<AccountDeclaration, AdminFailure>> {
  const narrow = organizationWide(caller, 'sellers', kind);
  if (narrow !== undefined) return err(narrow);
  const found = isUuid(id) ? await declarations.find(scopeOf(caller), id) : undefined;
  if (found === undefined) return err(missing);
  return found.state === 'waiting' ? ok(found) : err(over);
}

async function shown(deps: ListDeps, caller: PrincipalCaller, id: string): Promise<Shown> {
  const row = await deps.lists.one(caller, lists.declarationList, { kind: 'everything' }, id);
  return row === undefined ? err(missing) : ok(declared.view.parse(shownRow(lists.declarationList, row)));
}
