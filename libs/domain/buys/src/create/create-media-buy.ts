import {
  createMediaBuy as task,
  type CreateMediaBuyRequest,
  type Finding,
  type TaskError,
  prefixId,
  taskError,
} from '@switchyard/protocol';
import { ok, type Result, err } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { mutate, type LeaseSellers, type Prepared } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import type { Connection } from '@switchyard/sellers';
import { addLibraryCreatives } from '../creatives/add-library-creatives.js';
import type { NamingPorts } from '../model/creative-library.js';
import { creativesAtSellers } from '../creatives/creatives-at-sellers.js';
import {
  broughtBy,
  notifyMissingCreatives,
  type CreativesNamed,
} from '../creatives/notify-missing-creatives.js';
import { brandNamed } from '../campaigns/place-draft.js';
import { accountGates, type AccountsAt, heldAccounts, sellersForClient } from '../plan/client-accounts.js';
import { endedLists, targetingsOf } from '../plan/ended-lists.js';
import type { Operation } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { findProposal } from '../model/find-proposal.js';
import { planProposal } from '../proposals/plan-proposal.js';
import { proposalNotFound } from '../proposals/proposal-faults.js';
import { keysFor } from '../signals/offer-keys.js';
import { draftBuy } from './draft-buy.js';
import { findOffers } from '../plan/find-offers.js';
import { planBuy, type BuyPlan, type PlannedLeg } from '../plan/plan-buy.js';

export interface MediaBuyMade extends Mutated {
  readonly findings: readonly Finding[];
}

/**
 * Buys at several sellers: checks every leg, stores everything, then calls every seller with bytes that do
 * not change again. A leg that fails is reported, and the others are kept.
 */
export function createMediaBuy(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<MediaBuyMade, readonly TaskError[]>> {
  return mutate(ports, task.name, mutation, async (operation, lease) => {
    const prepared = await prepareBuy(ports, mutation, operation, lease);
    return prepared.ok ? ok({ ...prepared.value, findings: prepared.value.plan.findings }) : prepared;
  });
}

export type BuyingPorts = BuysPorts &
  NamingPorts & {
    /** Reads the status of the accounts at sellers. Absent: each seller checks it when it is called. */
    readonly accountsAt?: AccountsAt;
  };

/** A buy as it would be stored, with what would be sent to each seller. */
export interface PreparedBuy extends Prepared {
  readonly plan: BuyPlan;
}

/**
 * Checks every part of a buy and creates what would be stored and sent. Stores nothing, and calls sellers
 * only with requests that change nothing.
 *
 * @param secretsOf returns the secrets for the legs; called once everything else is valid
 */
export async function prepareBuy(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
  operation: Operation,
  secretsOf: LeaseSellers,
): Promise<Result<PreparedBuy, readonly TaskError[]>> {
  const { account } = mutation;
  if (account === undefined) return err([noBrand]);

  const listed = await ports.connections.list(mutation.scope);
  const brand = brandNamed(account.brandDomain, account.brandId);
  const { connections: all, accounts } = await sellersForClient(ports, mutation.scope, brand, listed);
  const connections = new Map(all.map((connection) => [connection.slug, connection]));
  const planned = await planFor(ports, mutation, connections);
  if (!planned.ok) return planned;
  const plan = await addLibraryCreatives(ports.creatives, mutation, planned.value);

  const named = plan.legs.flatMap(creativesNamed);
  const { faults, names } = await creativesAtSellers(ports.creatives, mutation, named);
  if (faults.length > 0) return err(faults);

  const held = heldAccounts(plan.legs, accounts);
  if (held.length > 0) return err(held);
  const ended = await endedLists(ports.endedLists, mutation.scope, targetingsOf(mutation.request.packages));
  if (ended.length > 0) return err(ended);
  const blocked = await accountGates(ports.accountsAt, plan.legs, account);
  if (blocked.length > 0) return err(blocked);

  const sellers = plan.legs.map((leg) => leg.connection);
  const secrets = await secretsOf(sellers);
  if (!secrets.ok) return secrets;

  const targetings = mutation.request.packages.map((item) => item.targetingOverlay ?? {});
  const offerKeys = await keysFor(ports.activations, mutation.scope, all, targetings);
  const draft = draftBuy(
    { ports, mutation: { ...mutation, account }, operation, secrets: secrets.value, offerKeys, names },
    plan,
  );
  const completed = await notifyMissingCreatives(ports.creatives, mutation.scope, draft, named);
  return ok({ plan, draft: completed, secrets: secrets.value, sellers });
}

/** Plans the buy: from the requested packages, or from a proposal as a whole. */
async function planFor(
  ports: BuysPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
  connections: ReadonlyMap<string, Connection>,
): Promise<Result<BuyPlan, readonly TaskError[]>> {
  const { request, scope } = mutation;
  const named = request.packages.map((item) => item.productId);
  if (request.proposal === undefined) {
    const found = await findOffers(ports, mutation, { productIds: named, brand: request.brand, connections });
    return planBuy(request, { connections, ...found }, ports.clock.now());
  }
  const found = await findProposal(ports.store, scope, request.proposal.proposalId, connections);
  if (found === undefined) return err([proposalNotFound]);
  const { seller, allocations } = found.proposal;
  const allotted = allocations.map(({ productId }) => prefixId(seller, productId));
  const { offers } = await findOffers(ports, mutation, {
    productIds: allotted,
    brand: request.brand,
    connections,
  });
  return planProposal(request, request.proposal, { ...found, offers }, ports.clock.now());
}

function creativesNamed({ connection, packages }: PlannedLeg): readonly CreativesNamed[] {
  return packages.map(({ request, position }) => ({
    connectionId: connection.id,
    seller: connection.slug,
    place: `packages[${position}]`,
    listed: 'creative_ids',
    ids: request.creativeIds ?? [],
    brought: broughtBy(request),
    isNew: true,
  }));
}

const noBrand = taskError('INVALID_REQUEST', 'The request has no brand.', {
  field: 'brand.domain',
  suggestion: 'Give the domain of the advertiser.',
});
