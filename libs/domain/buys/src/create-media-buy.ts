import {
  createMediaBuy as task,
  taskError,
  type AccountRef,
  type CreateMediaBuyRequest,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { BuyerAccount, Mutation } from './caller.js';
import { draftLeg, type LegDraft } from './draft-leg.js';
import { findOffers } from './find-offers.js';
import { claim, execute, type Mutated } from './mutate.js';
import { finestCommonFrequency } from './offer.js';
import type { BuyPackage, MediaBuy, Operation, SellerBuy } from './operation.js';
import { planBuy, type BuyPlan, type PlannedLeg } from './plan-buy.js';
import type { BuysPorts, LegSecrets } from './ports.js';

export interface MediaBuyMade extends Mutated {
  readonly findings: readonly Finding[];
}

/**
 * Buys across sellers: every leg checked first, everything stored, then every seller called with bytes that do not
 * change again. A leg that fails is reported and the others are kept.
 */
export async function createMediaBuy(
  ports: BuysPorts,
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
  const offers = await findOffers(ports, mutation, connections);
  const plan = planBuy(mutation.request, { connections, offers }, ports.clock.now());
  if (!plan.ok) return plan;

  const sellers = plan.value.legs.map((leg) => leg.connection);
  const secrets = await ports.lease(mutation.scope, sellers, {
    operationId: operation.id,
    purpose: task.name,
  });
  if (!secrets.ok)
    return err([taskError('SERVICE_UNAVAILABLE', 'The credentials of these sellers cannot be used now.')]);

  const drafts = plan.value.legs.map((leg) => ({
    planned: leg,
    draft: draftBuyLeg(ports, { ...mutation, account }, operation, leg, secrets.value),
  }));
  const buy = mediaBuyOf(ports, { ...mutation, account }, operation, plan.value);
  const done = await execute(
    ports,
    mutation,
    {
      operation,
      buy,
      legs: drafts.map(({ draft }) => draft.leg),
      registrations: drafts.flatMap(({ draft }) => draft.registrations),
      sellerBuys: drafts.map(({ draft }) => sellerBuyOf(ports, buy, draft)),
      packages: drafts.flatMap(({ planned, draft }) => packagesOf(ports, buy, planned, draft)),
    },
    secrets.value,
    sellers,
  );
  return done.ok ? ok({ ...done.value, findings: plan.value.findings }) : done;
}

const noBrand = taskError('INVALID_REQUEST', 'The request names no brand to buy for.', {
  field: 'brand.domain',
  suggestion: 'Name the advertiser by its domain.',
});

type BuyMutation = Mutation<CreateMediaBuyRequest> & { readonly account: BuyerAccount };

function draftBuyLeg(
  ports: BuysPorts,
  mutation: BuyMutation,
  operation: Operation,
  leg: PlannedLeg,
  secrets: ReadonlyMap<string, LegSecrets>,
): LegDraft {
  const { connection } = leg;
  const voice = { dialect: connection.dialect, form: connection.form };
  const frequency = finestCommonFrequency(leg.packages.map((item) => item.offer));
  return draftLeg(
    ports,
    operation,
    connection,
    secrets.get(connection.id),
    ({ reportingWebhook, ...extras }) => {
      const request: CreateMediaBuyRequest = {
        ...mutation.request,
        ...extras,
        account: accountAt(connection, mutation),
        packages: leg.packages.map((item) => item.request),
        reportingWebhook: { ...reportingWebhook, ...(frequency === undefined ? {} : { frequency }) },
      };
      const { governanceContext: _forOneSellerOnly, contextId: _ours, ...sent } = request;
      return task.projectRequest(sent, voice);
    },
  );
}

/** Towards a seller: the connection's own account, else the pair of the request's brand and our operator (ruling 35). */
function accountAt(connection: Connection, mutation: BuyMutation): AccountRef {
  if (connection.account !== undefined) return connection.account;
  const { brandDomain, brandId, operator } = mutation.account;
  return { brand: { domain: brandDomain, ...(brandId === '' ? {} : { brandId }) }, operator };
}

function mediaBuyOf(ports: BuysPorts, mutation: BuyMutation, operation: Operation, plan: BuyPlan): MediaBuy {
  const { request, account } = mutation;
  const startTime =
    request.startTime === 'asap' ? new Date(operation.createdAt).toISOString() : request.startTime;
  return {
    id: ports.ids.token('mb'),
    organizationId: operation.organizationId,
    operationId: operation.id,
    principalId: operation.principalId,
    brand: {
      domain: account.brandDomain,
      ...(account.brandId === '' ? {} : { brand_id: account.brandId }),
    },
    operator: account.operator,
    currency: plan.currency,
    status: 'pending_start',
    startTime,
    endTime: request.endTime,
    createdAt: operation.createdAt,
    updatedAt: operation.createdAt,
    ...(request.buyerRef === undefined ? {} : { buyerRef: request.buyerRef }),
    ...(request.context === undefined ? {} : { context: request.context }),
  };
}

function sellerBuyOf(ports: BuysPorts, buy: MediaBuy, { leg }: LegDraft): SellerBuy {
  return {
    id: ports.ids.uuid(),
    mediaBuyId: buy.id,
    legId: leg.id,
    connectionId: leg.connectionId,
    seller: leg.seller,
    status: 'pending_start',
  };
}

function packagesOf(
  ports: BuysPorts,
  buy: MediaBuy,
  planned: PlannedLeg,
  { leg }: LegDraft,
): readonly BuyPackage[] {
  return planned.packages.map((item) => ({
    id: ports.ids.uuid(),
    mediaBuyId: buy.id,
    legId: leg.id,
    position: item.position,
    seller: leg.seller,
    productId: item.request.productId,
    pricingOptionId: item.request.pricingOptionId,
    currency: item.price.currency,
    budgetMicros: item.budgetMicros,
    ...(item.bidMicros === undefined ? {} : { bidMicros: item.bidMicros }),
    ...(item.request.buyerRef === undefined ? {} : { buyerRef: item.request.buyerRef }),
    ...(item.request.context === undefined ? {} : { context: item.request.context }),
  }));
}
