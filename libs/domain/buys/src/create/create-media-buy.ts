import {
  createMediaBuy as task,
  prefixId,
  taskError,
  type CreateMediaBuyRequest,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { accountGates, type AccountsAt } from '../model/account-gates.js';
import type { Mutation } from '../model/caller.js';
import { bringWithBuy } from '../creatives/bring-from-library.js';
import type { NamingPorts } from '../creatives/creative-library.js';
import { creativesAtSellers } from '../creatives/creatives-at-sellers.js';
import {
  broughtBy,
  notifyMissingCreatives,
  type CreativesNamed,
} from '../creatives/notify-missing-creatives.js';
import { draftBuy } from './draft-buy.js';
import { canMakeKeys } from '../send/draft-leg.js';
import { findOffers } from './find-offers.js';
import { claim, execute, untilClaimed, type Mutated } from '../send/mutate.js';
import { planBuy, type BuyPlan, type PlannedLeg } from './plan-buy.js';
import type { BuysPorts } from '../model/ports.js';
import { findProposal } from '../proposals/find-proposal.js';
import { planProposal } from '../proposals/plan-proposal.js';
import { proposalNotFound } from '../proposals/proposal-faults.js';
import { keysFor } from '../signals/offer-keys.js';

export interface MediaBuyMade extends Mutated {
  readonly findings: readonly Finding[];
}

type BuyingPorts = BuysPorts &
  NamingPorts & {
    /** Asks sellers how our accounts stand; absent, each says so when it is asked to sell. */
    readonly accountsAt?: AccountsAt;
  };

/**
 * Buys across sellers: every leg checked first, everything stored, then every seller called with bytes that do not
 * change again. A leg that fails is reported and the others are kept.
 */
export function createMediaBuy(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<MediaBuyMade, readonly TaskError[]>> {
  return untilClaimed(() => attempt(ports, mutation));
}

async function attempt(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<MediaBuyMade, readonly TaskError[]>> {
  const claimed = await claim(ports, task.name, mutation);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'replay')
    return ok({ state: claimed.value.state, replayed: true, findings: [] });
  const { operation } = claimed.value;
  const { account } = mutation;
  if (account === undefined) return err([noBrand]);

  const all = await ports.connections.list(mutation.scope);
  const connections = new Map(all.map((connection) => [connection.slug, connection]));
  const planned = await planFor(ports, mutation, connections);
  if (!planned.ok) return planned;
  const plan = await bringWithBuy(ports.creatives, mutation, planned.value);

  const named = plan.legs.flatMap(creativesNamed);
  const { faults, names } = await creativesAtSellers(ports.creatives, mutation, named);
  if (faults.length > 0) return err(faults);

  const held = await accountGates(ports.accountsAt, plan.legs, account);
  if (held.length > 0) return err(held);

  const sellers = plan.legs.map((leg) => leg.connection);
  const secrets = await ports.lease(mutation.scope, sellers, {
    operationId: operation.id,
    purpose: task.name,
  });
  if (!secrets.ok || !canMakeKeys(secrets.value, sellers))
    return err([taskError('SERVICE_UNAVAILABLE', 'The credentials of these sellers cannot be used now.')]);

  const targetings = mutation.request.packages.map((item) => item.targetingOverlay ?? {});
  const offerKeys = await keysFor(ports.activations, mutation.scope, all, targetings);
  const draft = draftBuy(ports, { ...mutation, account }, operation, plan, secrets.value, offerKeys, names);
  const received = await notifyMissingCreatives(ports.creatives, mutation.scope, draft, named);
  const done = await execute(ports, mutation, received, secrets.value, sellers);
  return done.ok ? ok({ ...done.value, findings: plan.findings }) : done;
}

/** The buy as it will be made: of the packages that were asked for, or of a proposal as a whole. */
async function planFor(
  ports: BuysPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
  connections: ReadonlyMap<string, Connection>,
): Promise<Result<BuyPlan, readonly TaskError[]>> {
  const { request, scope } = mutation;
  const named = request.packages.map((item) => item.productId);
  if (request.proposal === undefined) {
    const found = await findOffers(ports, mutation, named, request.brand, connections);
    return planBuy(request, { connections, ...found }, ports.clock.now());
  }
  const found = await findProposal(ports.store, scope, request.proposal.proposalId, connections);
  if (found === undefined) return err([proposalNotFound]);
  const { seller, allocations } = found.proposal;
  const allotted = allocations.map(({ productId }) => prefixId(seller, productId));
  const { offers } = await findOffers(ports, mutation, allotted, request.brand, connections);
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

const noBrand = taskError('INVALID_REQUEST', 'The request names no brand to buy for.', {
  field: 'brand.domain',
  suggestion: 'Name the advertiser by its domain.',
});
