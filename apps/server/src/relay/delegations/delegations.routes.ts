import type { LeaseSecrets } from '@switchyard/buys';
import { budgetFault, checkBudget, isCurrency } from '@switchyard/money';
import { findTask } from '@switchyard/protocol';
import { isActive, type Delegation, type DelegationStore } from '@switchyard/relay';
import type { ConnectionDirectory, SellerLanes } from '@switchyard/sellers';
import { lists } from '@switchyard/store';
import { seesSellers, type PrincipalDirectory, type TenantScope } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, readInstant, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { relayAddress } from './relay-address.js';
import { knownPrincipal, principalInReach, existingPrincipalInReach } from './principal-in-reach.js';
import { decimalText, instant, momentText, nameOrId } from '../../platform/routes/fields.js';
import { resource, type ListDeps } from '../../platform/routes/resource.js';
import { routesOn } from '../../platform/routes/route.js';

export interface DelegationsDeps extends ListDeps {
  readonly delegations: DelegationStore;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly principals: Pick<PrincipalDirectory, 'find'>;
  readonly lease: LeaseSecrets;
  readonly lanes: SellerLanes;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly baseUrl: () => string;
  /** `operatorId` holds the data folder of this instance. That is sufficient evidence for its grants. */
  readonly local: { readonly operatorId: string };
}

const { routes: listed } = resource(lists.delegationList, {
  noun: 'delegation',
  plural: 'delegations',
  area: 'delegations',
  summary: 'Delegations, newest first',
  example: {
    delegation_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    seller: 'acme',
    tasks: ['create_media_buy'],
    state: 'active',
    granted_at: '2026-11-21T12:00:00.000Z',
    granted_by: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    until: '2026-12-31T00:00:00.000Z',
    budget: '50000',
    currency: 'USD',
    committed: '12000.5',
    evidence: null,
    revoked_at: null,
  },
  views: { tasks: z.array(z.string()) },
  query: { principal_id: nameOrId, seller: nameOrId },
  read: {
    principal_id: async (deps: DelegationsDeps, caller, text) => {
      const of = await existingPrincipalInReach(deps, caller, text);
      return of.ok ? ok(of.value ?? text) : of;
    },
  },
});

/** A requested delegation, before any check. */
const grantRequest = z.strictObject({
  principal_id: nameOrId,
  seller: nameOrId,
  tasks: z.array(z.string().min(1).max(100)).min(1).max(50),
  until: momentText.describe('RFC 3339: a date, or a time with its offset.'),
  budget: decimalText(15).exactOptional().describe('Caps the sum of all buys under it.'),
  currency: z.string().length(3).exactOptional(),
  evidence: z
    .string()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('What shows an admin that the brand wants it.'),
});
type Grant = z.output<typeof grantRequest>;

const ofPrincipal = z.strictObject({ principal_id: nameOrId.exactOptional() });

const route = routesOn<DelegationsDeps>();

/** Delegations: list, grant and revoke. A principal sees and changes its own; an admin those of everybody. */
export const delegationRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/delegations',
    id: 'grant_delegation',
    summary: 'Allow sealed requests of a principal to a seller',
    needs: 'delegations.write',
    body: grantRequest,
    answer: z.strictObject({ delegation_id: z.string() }),
    example: { delegation_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11' },
    handle: (deps, { caller, body }) => grant(deps, caller, body),
  }),
  route({
    method: 'delete',
    path: '/v1/delegations/{id}',
    id: 'revoke_delegation',
    summary: 'Revoke a delegation, with effect from the next request',
    needs: 'delegations.delete',
    query: z.strictObject({ reason: z.string().min(1).max(1000).exactOptional() }),
    answer: z.strictObject({ delegation_id: z.string(), revoked_at: instant }),
    handle: async ({ delegations, clock }, { caller, params: { id }, query }) => {
      const scope = scopeOf(caller);
      const found = isUuid(id) ? await delegations.find(scope, id) : undefined;
      const of = principalInReach(caller, found?.delegation.principalId ?? '', 'write');
      if (found === undefined || !of.ok) return err(unknownDelegation);
      const at = clock.now();
      const revoked = await delegations.revoke(scope, id, { by: caller.principalId, at, ...query });
      if (!revoked) return err({ code: 'CONFLICT', message: 'It is already revoked.' });
      return ok({ delegation_id: id, revoked_at: isoOf(at) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/relay/{name}/address',
    id: 'relay_address',
    summary: 'Where to send a sealed request, what to sign, and where the seller may call back',
    needs: 'delegations.read',
    query: ofPrincipal,
    answer: z.strictObject({
      relay_mcp_url: z.string().nullable(),
      relay_a2a_url: z.string().nullable(),
      seller_mcp_url: z.string().nullable(),
      seller_a2a_url: z.string().nullable(),
      callback_url: z.string().nullable(),
    }),
    handle: async (deps, { caller, params, query }) => {
      const of = principalInReach(caller, query.principal_id, 'read');
      if (!of.ok) return of;
      const known = await knownPrincipal(deps, caller, of.value ?? caller.principalId);
      if (!known.ok) return known;
      const address = await relayAddress(deps, caller.organizationId, params.name, known.value);
      const isShown =
        seesSellers(caller) || (await isDelegated(deps, scopeOf(caller), known.value, params.name));
      if (!address.ok || isShown) return address;
      return ok({ ...address.value, seller_mcp_url: null, seller_a2a_url: null });
    },
  }),
];

/** Whoever may send a seller sealed requests has to know its address: the signature covers it. */
async function isDelegated(
  { delegations, clock }: DelegationsDeps,
  scope: TenantScope,
  principalId: string,
  seller: string,
): Promise<boolean> {
  const now = clock.now();
  return (await delegations.list(scope, { principalId })).some(
    ({ delegation }) => delegation.seller === seller && isActive(delegation, now),
  );
}

async function grant(
  deps: DelegationsDeps,
  caller: PrincipalCaller,
  request: Grant,
): Promise<Result<{ readonly delegation_id: string }, AdminFailure>> {
  const scope = scopeOf(caller);
  const by = await grantedBy(deps, caller, request);
  if (!by.ok) return by;
  if ((await deps.connections.bySlug(scope, request.seller)) === undefined) return err(unknownSeller);
  const read = readGrant(request, deps.clock.now());
  if (!read.ok) return read;
  const made: Delegation = {
    ...read.value,
    id: deps.newId(),
    organizationId: caller.organizationId,
    principalId: request.principal_id,
    seller: request.seller,
    grantedBy: by.value,
  };
  await deps.delegations.grant(scope, made);
  return ok({ delegation_id: made.id });
}

/** A principal grants for itself. To grant for another needs write access to principals, and evidence of the wish. */
async function grantedBy(
  { principals, local }: DelegationsDeps,
  caller: PrincipalCaller,
  { principal_id: principalId, evidence }: Grant,
): Promise<Result<Delegation['grantedBy'], AdminFailure>> {
  const of = principalInReach(caller, principalId, 'write');
  if (!of.ok) return of;
  const known = await knownPrincipal({ principals }, caller, principalId);
  if (!known.ok) return known;
  const by = { principalId: caller.principalId };
  if (evidence !== undefined && evidence.trim() !== '') return ok({ ...by, evidence });
  if (caller.principalId === principalId) return ok(by);
  if (caller.principalId === local.operatorId) {
    return ok({ ...by, evidence: 'By the operator of this instance, who holds its data folder.' });
  }
  return err({
    code: 'INVALID_REQUEST',
    message: 'A delegation for another principal needs evidence.',
    field: 'evidence',
    suggestion: 'Give the evidence, for example the number of the contract.',
  });
}

type Read = Pick<Delegation, 'tasks' | 'grantedAt' | 'until' | 'budget'>;

function readGrant(requestedGrant: Grant, now: number): Result<Read, AdminFailure> {
  const specs = requestedGrant.tasks.map((name) => findTask(name.trim()));
  const unknown = requestedGrant.tasks.find((_name, at) => specs[at] === undefined);
  if (requestedGrant.tasks.length === 0 || unknown !== undefined) {
    return err(invalid('tasks', `${unknown ?? 'Nothing'} is not a known task.`));
  }
  const until = readInstant(requestedGrant.until) ?? 0;
  if (until <= now) return err(invalid('until', 'until is in the past.'));
  const budget = budgetOf(requestedGrant);
  if (!budget.ok) return budget;
  const tasks = [...new Set(specs.flatMap((spec) => (spec === undefined ? [] : [spec.name])))];
  return ok({
    tasks: [...tasks],
    until,
    grantedAt: now,
    ...(budget.value === undefined ? {} : { budget: budget.value }),
  });
}

function budgetOf({ budget, currency }: Grant): Result<Delegation['budget'], AdminFailure> {
  if (budget === undefined && currency === undefined) return ok(undefined);
  if (budget === undefined) return err(invalid('budget', 'A currency needs a budget.'));
  if (currency === undefined || !isCurrency(currency)) {
    return err(invalid('currency', 'A budget needs the code of its currency (ISO 4217).'));
  }
  const ceiling = checkBudget(budget, currency);
  if (!ceiling.ok) return err(invalid('budget', budgetFault(ceiling.error, currency)));
  return ok({ ceiling: ceiling.value, currency });
}

function invalid(field: string, message: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message, field };
}

const unknownSeller: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no seller with this name.',
  field: 'seller',
};
const unknownDelegation: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no delegation with this id.',
};
