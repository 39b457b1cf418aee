import {
  canCarry,
  syncCreatives as task,
  type AccountRef,
  type SyncCreativesRequest,
  type TaskError,
  profileOf,
} from '@switchyard/protocol';
import { withoutAccount, type Connection } from '@switchyard/sellers';
import { ownReach } from '@switchyard/tenancy';
import { defined, ok, type Result } from '@switchyard/values';
import { brandNamed } from '../campaigns/place-draft.js';
import { sellersForClient } from '../plan/client-accounts.js';
import { draftLeg, type LegDraft } from '../call/draft-leg.js';
import { mutate } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import type { Operation } from '../model/operation.js';
import type { LegSecrets } from '../model/ports.js';
import { refreezesOf, type Drafted } from '../call/reencode.js';
import { creativeHash } from '../model/creatives-of-leg.js';
import { notesAsJson } from '../model/creative-library.js';
import { guardMissing } from './guard-missing.js';
import { withSellerIds } from './creatives-at-sellers.js';
import { planCreatives, type CreativeLeg, type CreativePlan } from './plan-creatives.js';
import type { CreativeMutation, CreativePorts } from '../model/creative-ports.js';

/**
 * Stores creatives in the organization's library and sends them to the sellers that need them. Library, legs and
 * frozen bytes are one commit. The sellers are called afterwards, and each answer is applied with its leg.
 */
export function syncCreatives(
  ports: CreativePorts,
  mutation: CreativeMutation,
): Promise<Result<Mutated, readonly TaskError[]>> {
  return mutate(ports, task.name, mutation, async (operation, lease) => {
    const planned = await plan(ports, mutation);
    if (!planned.ok) return planned;
    const secrets = await lease(planned.value.legs.map((leg) => leg.connection));
    if (!secrets.ok) return secrets;
    const guarded = await guardMissing(ports, mutation, planned.value, secrets.value);
    const draft = draftSync({ ports, mutation, operation, secrets: secrets.value }, guarded);
    return ok({ draft, secrets: secrets.value, sellers: guarded.legs.map((leg) => leg.connection) });
  });
}

/** Reads the input of the plan, and plans. Writes nothing. */
export async function plan(
  ports: CreativePorts,
  { scope, principalId, reach = ownReach(principalId), request, account }: CreativeMutation,
): Promise<Result<CreativePlan, readonly TaskError[]>> {
  const brand = account && brandNamed(account.brandDomain, account.brandId);
  const listed = await ports.connections.list(scope);
  const { connections: all } = await sellersForClient(ports, scope, brand, listed);
  const connections = all.filter(({ state, kinds }) => state === 'live' && kinds.includes('sales'));
  const accepted = request.deleteMissing ? await ports.creatives.acceptedPlacements(scope, reach) : [];
  const ids = [
    ...request.creatives.map(({ creativeId }) => creativeId),
    ...request.assignments.map(({ creativeId }) => creativeId),
    ...accepted.map(({ creativeId }) => creativeId),
  ];
  const packageIds = request.assignments.map(({ packageId }) => packageId);
  return planCreatives(request, {
    connections,
    sharedConnections: await ports.creatives.sharedConnections(scope),
    accepted,
    active: request.deleteMissing ? await ports.creatives.active(scope, reach) : [],
    library: await ports.creatives.byIds(scope, [...new Set(ids)], reach),
    packages: await ports.creatives.packages(scope, reach, [...new Set(packageIds)]),
  });
}

/** The input of every leg of one sync. */
interface SyncContext {
  readonly ports: CreativePorts;
  readonly mutation: CreativeMutation;
  readonly operation: Operation;
  readonly secrets: ReadonlyMap<string, LegSecrets>;
}

function draftSync({ ports, mutation, operation, secrets }: SyncContext, planned: CreativePlan): Drafted {
  const legs = planned.legs.map((leg) => ({
    leg,
    draft: draftOne({ ports, mutation, operation, secrets }, leg),
  }));
  const at = operation.createdAt;
  // Without a leg there is nothing to wait for.
  const settled = legs.length === 0 ? { status: 'completed' as const, settledAt: at } : {};
  return {
    operation: { ...operation, ...settled, plan: notesAsJson(planned.notes) },
    legs: legs.map(({ draft }) => draft.leg),
    registrations: legs.flatMap(({ draft }) => draft.registrations.slice(0, 1)),
    sellerBuys: [],
    packages: [],
    again: refreezesOf(legs.map(({ draft }) => draft)),
    creatives: {
      creatives: planned.creatives.map((creative) => ({ creative, bodyHash: creativeHash(creative) })),
      placements: legs.flatMap(({ leg, draft }) =>
        leg.creatives.map(({ creativeId }) => {
          const sellerCreativeId = leg.names.get(creativeId);
          return {
            creativeId,
            connectionId: leg.connection.id,
            seller: leg.connection.slug,
            legId: draft.leg.id,
            ...(sellerCreativeId === undefined ? {} : { sellerCreativeId }),
          };
        }),
      ),
      archived: planned.notes.archived,
    },
  };
}

function draftOne({ ports, mutation, operation, secrets }: SyncContext, leg: CreativeLeg): LegDraft {
  const { connection } = leg;
  return draftLeg(
    { ports, operation, connection, secrets: secrets.get(connection.id) },
    ({ reportingWebhook: _forBuysOnly, ...own }, at) =>
      // A seller that is read again comes without the account of the client.
      projectSync(mutation, { ...leg, connection: { ...withoutAccount(at), ...accountOf(connection) } }, own),
    (now) => leg.creatives.length > 0 && leg.creatives.every((creative) => canCarry(creative, now.form)),
  );
}

const accountOf = ({ account }: Connection): Pick<Connection, 'account'> => defined({ account });

/** The request for one seller, in its own form. */
export function projectSync(
  { request, account }: CreativeMutation,
  { connection, creatives, assignments, missing, names }: CreativeLeg,
  own: Partial<SyncCreativesRequest>,
): ReturnType<typeof task.projectRequest> {
  const {
    governanceContext: _forOneSellerOnly,
    contextId: _ours,
    account: _plane,
    creativeIds: _done,
    sellers: _ofOurs,
    push: _buyers,
    idempotencyKey: _own,
    context: _echoed,
    ...rest
  } = request;
  const named = accountAt(connection, account);
  const deleteMissing = missing.length > 0;
  const projected = task.projectRequest(
    {
      ...rest,
      ...own,
      creatives,
      assignments,
      deleteMissing,
      ...(named === undefined ? {} : { account: named }),
    },
    profileOf(connection),
  );
  return { ...projected, args: withSellerIds(projected.args, names) };
}

/**
 * The account in a request to a seller: the connection's own, else the pair of brand and operator
 * (docs/protocol/accounts.md#two-planes).
 */
function accountAt(connection: Connection, account: CreativeMutation['account']): AccountRef | undefined {
  if (connection.account !== undefined) return connection.account;
  if (account === undefined) return undefined;
  const { brandDomain, brandId, operator } = account;
  return { brand: { domain: brandDomain, ...(brandId === '' ? {} : { brandId }) }, operator };
}
