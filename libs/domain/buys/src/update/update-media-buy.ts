import {
  prefixId,
  updateMediaBuy as task,
  type Finding,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import { throughLogin } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { belongingIn } from '../campaigns/place-draft.js';
import type { Mutation } from '../model/caller.js';
import { addLibraryCreativesToUpdate } from '../creatives/add-library-creatives.js';
import type { NamingPorts } from '../model/creative-library.js';
import { creativesOfUpdate } from '../creatives/creatives-of-update.js';
import { creativesAtSellers } from '../creatives/creatives-at-sellers.js';
import { notifyMissingCreatives } from '../creatives/notify-missing-creatives.js';
import { draftUpdate } from './draft-update.js';
import { endedLists, targetingsOfUpdate } from '../plan/ended-lists.js';
import { findOffers } from '../plan/find-offers.js';
import { mutate, type LeaseSellers, type Prepared } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import type { LastFigures } from '../model/last-figures.js';
import type { MediaBuyRecord, Operation } from '../model/operation.js';
import { noSuchBuy, findBuy } from '../model/find-buy.js';
import { planUpdate } from './plan-update.js';
import type { BuysPorts } from '../model/ports.js';
import { keysFor } from '../signals/offer-keys.js';
import { spentAlready } from './spent-already.js';

interface MediaBuyUpdated extends Mutated {
  readonly findings: readonly Finding[];
}

type ChangingPorts = BuysPorts &
  NamingPorts & {
    /** Reported spend; absent: unknown. */
    readonly figures?: LastFigures;
  };

/**
 * Changes a buy at the sellers that the change concerns: checks everything, stores everything, then calls
 * each seller with bytes that do not change again.
 *
 * The buyer's reference names the buy here and not the request, so no idempotency key is derived from it.
 * Without a key each request is a new one, and contains absolute values.
 */
export function updateMediaBuy(
  ports: ChangingPorts,
  mutation: Mutation<UpdateMediaBuyRequest>,
): Promise<Result<MediaBuyUpdated, readonly TaskError[]>> {
  const { buyerRef: _namesTheBuy, ...keyed } = mutation.request;
  return mutate(ports, task.name, { ...mutation, request: keyed }, (operation, lease) =>
    prepareUpdate(ports, mutation, operation, lease),
  );
}

async function prepareUpdate(
  ports: ChangingPorts,
  mutation: Mutation<UpdateMediaBuyRequest>,
  operation: Operation,
  lease: LeaseSellers,
): Promise<Result<Prepared, readonly TaskError[]>> {
  const record = await findBuy(ports.store, mutation.scope, mutation, mutation.request);
  if (record === undefined) return err([noSuchBuy(mutation.request)]);
  const all = await ports.connections.list(mutation.scope);
  const logins = new Map(record.sellerBuys.map(({ connectionId, login }) => [connectionId, login]));
  const connections = new Map(all.map((one) => [one.slug, throughLogin(one, logins.get(one.id))]));
  const bought = record.packages.map((item) => prefixId(item.seller, item.productId));
  const wanted = mutation.request.newPackages.map((item) => item.productId);
  const added =
    wanted.length === 0
      ? undefined
      : await findOffers(ports, mutation, { productIds: wanted, brand: brandOf(record), connections });
  const offers = new Map([...(await ports.store.offers(mutation.scope, bought)), ...(added?.offers ?? [])]);
  const market = { connections, offers, ...(added && { silent: added.silent }) };
  const planned = planUpdate(mutation.request, record, market, ports.clock.now());
  if (!planned.ok) return planned;
  const plan = await addLibraryCreativesToUpdate(ports.creatives, mutation, planned.value);
  const named = creativesOfUpdate(mutation.request, record, plan);
  const { faults, names } = await creativesAtSellers(ports.creatives, mutation, named);
  if (faults.length > 0) return err(faults);
  const spent = await spentAlready(ports.figures, mutation, record, plan.changes);
  if (spent.length > 0) return err(spent);
  const ended = await endedLists(ports.endedLists, mutation.scope, targetingsOfUpdate(mutation.request));
  if (ended.length > 0) return err(ended);

  const sellers = plan.changes.map((change) => change.connection);
  const secrets = await lease(sellers);
  if (!secrets.ok) return secrets;
  const { targetingOverlay, packages, newPackages } = mutation.request;
  const targetings = [{ targetingOverlay }, ...packages, ...newPackages].map(
    (item) => item.targetingOverlay ?? {},
  );
  const offerKeys = await keysFor(ports.activations, mutation.scope, all, targetings);
  const draft = draftUpdate(ports, mutation, {
    operation: { ...operation, ...belongingIn(record.buy) },
    secrets: secrets.value,
    ...{ record, plan, offers, offerKeys, names },
  });
  return ok({
    draft: await notifyMissingCreatives(ports.creatives, mutation.scope, draft, named),
    secrets: secrets.value,
    sellers,
    findings: plan.findings,
    executed: forOwner(mutation, record),
  });
}

/**
 * A colleague's buy stays its owner's: events of the buy go to the owner's addresses. Addresses in this
 * change are only for its own task.
 */
function forOwner<Request>(mutation: Mutation<Request>, { buy }: MediaBuyRecord): Mutation<Request> {
  const { registerCallbacks } = mutation;
  if (registerCallbacks === undefined || buy.principalId === mutation.principalId) return mutation;
  return { ...mutation, registerCallbacks: ({ operationId }) => registerCallbacks({ operationId }) };
}

function brandOf({ buy }: MediaBuyRecord): { readonly domain?: string } {
  const { domain } = buy.brand;
  return typeof domain === 'string' ? { domain } : {};
}
