import type { LeaseSecrets } from '@switchyard/buys';
import { checkBudget, isCurrency, microsToDecimal } from '@switchyard/money';
import { findTask } from '@switchyard/protocol';
import type { Delegation, DelegationStanding, DelegationStore } from '@switchyard/relay';
import type { ConnectionDirectory, SellerLanes } from '@switchyard/sellers';
import type { PrincipalDirectory } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../application/admin.js';
import type { DelegationAsk, DelegationsAdmin } from '../../application/delegations-admin.js';
import type { PrincipalCaller } from '../../application/task-call.js';
import { relayAddress } from './relay-address.js';
import { untilOf } from './until-of.js';
import { knownPrincipal, whose, whoseKnown } from './whose.js';

export interface DelegationsAdminParts {
  readonly delegations: DelegationStore;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly principals: Pick<PrincipalDirectory, 'find'>;
  readonly lease: LeaseSecrets;
  readonly lanes: SellerLanes;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly baseUrl: () => string;
  /**
   * Holds the data folder of this instance, which is evidence enough for what it grants
   * (docs/protocol/signing.md#unsigned-changes).
   */
  readonly operatorId: string;
}

export function createDelegationsAdmin(parts: DelegationsAdminParts): DelegationsAdmin {
  return {
    grant: async (caller, ask) => {
      const scope = { organizationId: caller.organizationId };
      const by = await grantedBy(parts, caller, ask);
      if (!by.ok) return by;
      if ((await parts.connections.bySlug(scope, ask.seller)) === undefined) return err(unknownSeller);
      const read = readAsk(ask, parts.clock.now());
      if (!read.ok) return read;
      const delegation: Delegation = {
        ...read.value,
        id: parts.newId(),
        organizationId: caller.organizationId,
        principalId: ask.principalId,
        seller: ask.seller,
        grantedBy: by.value,
      };
      await parts.delegations.grant(scope, delegation);
      return ok({ delegation_id: delegation.id });
    },
    list: async (caller, principalId) => {
      const of = await whoseKnown(parts, caller, principalId, 'read');
      if (!of.ok) return of;
      const scope = { organizationId: caller.organizationId };
      const filter = of.value === undefined ? {} : { principalId: of.value };
      return ok((await parts.delegations.list(scope, filter)).map((one) => viewOf(one, parts.clock.now())));
    },
    revoke: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      const found = isUuid(id) ? await parts.delegations.find(scope, id) : undefined;
      const of = whose(caller, found?.delegation.principalId ?? '', 'write');
      if (found === undefined || !of.ok) return err(unknownDelegation);
      const at = parts.clock.now();
      const text = reason === undefined ? {} : { reason };
      const revoked = await parts.delegations.revoke(scope, id, { by: caller.principalId, at, ...text });
      if (!revoked) return err({ code: 'CONFLICT', message: 'It was revoked before.' });
      return ok({ delegation_id: id, revoked_at: isoOf(at) });
    },
    address: async (caller, seller, principalId) => {
      const of = whose(caller, principalId, 'read');
      if (!of.ok) return of;
      const known = await knownPrincipal(parts, caller, of.value ?? caller.principalId);
      return known.ok ? relayAddress(parts, caller.organizationId, seller, known.value) : known;
    },
  };
}

/** A principal grants for itself. Whoever grants for another may look after principals, and says what shows the wish. */
async function grantedBy(
  { principals, operatorId }: DelegationsAdminParts,
  caller: PrincipalCaller,
  { principalId, evidence }: DelegationAsk,
): Promise<Result<Delegation['grantedBy'], AdminFailure>> {
  const of = whose(caller, principalId, 'write');
  if (!of.ok) return of;
  const known = await knownPrincipal({ principals }, caller, principalId);
  if (!known.ok) return known;
  const by = { principalId: caller.principalId };
  if (evidence !== undefined && evidence.trim() !== '') return ok({ ...by, evidence });
  if (caller.principalId === principalId) return ok(by);
  if (caller.principalId === operatorId) {
    return ok({ ...by, evidence: 'By the operator of this instance, who holds its data folder.' });
  }
  return err({
    code: 'INVALID_REQUEST',
    message: 'Who grants for somebody else says what shows that he may.',
    field: 'evidence',
    suggestion: 'Give --evidence, for example the number of the contract.',
  });
}

type Read = Pick<Delegation, 'tasks' | 'grantedAt' | 'until' | 'budget'>;

function readAsk(ask: DelegationAsk, now: number): Result<Read, AdminFailure> {
  const specs = ask.tasks.map((name) => findTask(name.trim()));
  const unknown = ask.tasks.find((_name, at) => specs[at] === undefined);
  if (ask.tasks.length === 0 || unknown !== undefined) {
    return err(invalid('tasks', `${unknown ?? 'Nothing'} is no task that is known here.`));
  }
  const until = untilOf(ask.until);
  if (until === undefined) return err(invalid('until', 'until is a date, or a time with its offset.'));
  if (until <= now) return err(invalid('until', 'until lies in the past.'));
  const budget = budgetOf(ask);
  if (!budget.ok) return budget;
  const tasks = [...new Set(specs.flatMap((spec) => (spec === undefined ? [] : [spec.name])))];
  return ok({
    tasks: [...tasks],
    until,
    grantedAt: now,
    ...(budget.value === undefined ? {} : { budget: budget.value }),
  });
}

function budgetOf({ budget, currency }: DelegationAsk): Result<Delegation['budget'], AdminFailure> {
  if (budget === undefined && currency === undefined) return ok(undefined);
  if (budget === undefined) return err(invalid('budget', 'A currency needs a budget.'));
  if (currency === undefined || !isCurrency(currency)) {
    return err(invalid('currency', 'A budget needs the code of its currency (ISO 4217).'));
  }
  const ceiling = checkBudget(budget, currency);
  if (!ceiling.ok) return err(invalid('budget', `The budget cannot be read (${ceiling.error.code}).`));
  return ok({ ceiling: ceiling.value, currency });
}

function viewOf({ delegation, committed }: DelegationStanding, now: number): JsonObject {
  const { id, principalId, seller, tasks, grantedAt, until, budget, revokedAt, grantedBy } = delegation;
  const isRevoked = revokedAt !== undefined && revokedAt <= now;
  return {
    delegation_id: id,
    principal_id: principalId,
    seller,
    tasks: [...tasks],
    state: isRevoked ? 'revoked' : until <= now ? 'expired' : 'active',
    granted_at: isoOf(grantedAt),
    granted_by: grantedBy.principalId,
    until: isoOf(until),
    budget: budget === undefined ? null : microsToDecimal(budget.ceiling),
    currency: budget?.currency ?? null,
    committed: budget === undefined ? null : microsToDecimal(committed),
    evidence: grantedBy.evidence ?? null,
    revoked_at: revokedAt === undefined ? null : isoOf(revokedAt),
  };
}

function invalid(field: string, message: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message, field };
}

const unknownSeller: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no such seller.',
  field: 'seller',
};
const unknownDelegation: AdminFailure = { code: 'NOT_FOUND', message: 'There is no such delegation.' };
