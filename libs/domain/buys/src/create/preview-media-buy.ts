import { Buffer } from 'node:buffer';
import type { Micros } from '@switchyard/money';
import {
  createMediaBuy as task,
  prefixId,
  splitId,
  taskError,
  type CreateMediaBuyRequest,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, ok, Secret, type Instant, type Result } from '@switchyard/values';
import type { Belonging } from '../model/campaign.js';
import { placeDraft } from '../campaigns/place-draft.js';
import type { Mutation } from '../model/caller.js';
import type { Flight } from '../model/flight.js';
import { failureAsError } from '../call/call-seller.js';
import { unsignedLeg } from '../call/draft-leg.js';
import { freshOperation, vaultClosed } from '../run/mutate.js';
import { priceFaults } from '../spending/decide-approval.js';
import { noRateError, overLimitError, spendFindings } from '../spending/limit-errors.js';
import { verdictOn, type LimitStanding, type LimitStandings, type SpendPart } from '../model/limit.js';
import { queryCatalogues, type Catalogue } from '../plan/find-offers.js';
import type { Offer } from '../model/offer.js';
import { broughtBy } from '../creatives/notify-missing-creatives.js';
import type { BuyPlan } from '../plan/plan-buy.js';
import { prepareBuy, type BuyingPorts, type PreparedBuy } from './create-media-buy.js';

/** A buy that would commit money. */
export interface SpendQuestion {
  readonly principalId: string;
  /** As in an operation. */
  readonly program?: string;
  readonly belonging: Belonging;
  readonly parts: readonly SpendPart[];
  /** When the buy would run; absent where it is not known: then everything counts in the present month. */
  readonly flight?: Flight;
  readonly at: Instant;
}

/** The preview of a buy at one seller. */
interface SellerPreview {
  readonly seller: string;
  /** Absent where the plan has faults. */
  readonly totalMicros?: Micros;
  /** Errors of this seller's part. */
  readonly problems: readonly TaskError[];
  /** What this seller's part still lacks before it can run. */
  readonly missing: readonly Finding[];
  /** What this seller would not receive, or might not honor. */
  readonly findings: readonly Finding[];
}

/** What `createMediaBuy` would do with the same request now. */
export interface BuyPreview {
  /** `approval`: the request would wait for a person, and no seller would be called. */
  readonly outcome: 'sent' | 'approval' | 'refused';
  /** Absent where the plan has faults. */
  readonly currency?: string;
  readonly totalMicros?: Micros;
  /** The brand, client and campaign of the buy; absent where the plan has faults. */
  readonly belonging?: Belonging;
  /** In the order in which the request first names each seller. */
  readonly sellers: readonly SellerPreview[];
  /** Errors of the whole request. */
  readonly problems: readonly TaskError[];
  readonly findings: readonly Finding[];
  /** The limits that apply, in the currency of each. */
  readonly limits: readonly LimitStanding[];
}

type PreviewPorts = BuyingPorts & {
  /** The current state of the limits that apply to a buy. Writes nothing and waits for no lock. */
  readonly standings: (scope: TenantScope, question: SpendQuestion) => Promise<LimitStandings>;
  /** Sellers among these at which each new buy waits for a person, because what they can do has changed. */
  readonly sellersThatAsk?: (scope: TenantScope, sellers: readonly string[]) => Promise<readonly string[]>;
};

/** Why a buy would wait at sellers whose capabilities have changed. */
const changedFinding = (sellers: readonly string[]): readonly Finding[] =>
  sellers.length === 0
    ? []
    : [
        {
          code: 'SELLER_CHANGED',
          message: `New buys at ${sellers.join(', ')} wait for an approval: what was built on can no longer be done there.`,
        },
      ];

/**
 * Returns what `createMediaBuy` would do with a request, by the same checks. Claims no key and commits nothing. Queries
 * the catalogues of its sellers, to see whether they are reachable and still offer the products at these prices.
 *
 * @returns the errors of `mutation.authorize` where the caller may not make this buy
 */
export async function previewMediaBuy(
  ports: PreviewPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<BuyPreview, readonly TaskError[]>> {
  const { request, scope } = mutation;
  const operation = freshOperation(ports, task.name, mutation);
  const slugs = slugsOf(request);
  const live = (await ports.connections.list(scope)).filter(
    ({ slug, state }) => slugs.includes(slug) && state === 'live',
  );
  const [shown, prepared] = await Promise.all([
    queryCatalogues(ports, mutation, live, request.brand),
    // Nothing is sent, so no secret is leased.
    prepareBuy(ports, mutation, operation, (sellers) => Promise.resolve(ok(noSecrets(sellers)))),
  ]);
  const unreached =
    shown === undefined ? [vaultClosed] : live.flatMap((connection) => reachFaults(connection, shown));
  if (!prepared.ok) return ok(refused(request, slugs, [...prepared.error, ...unreached]));
  const { plan, draft } = prepared.value;
  const placed = await placeDraft(ports, { scope }, draft);
  if (!placed.ok) return ok(refused(request, slugs, [placed.error, ...unreached]));
  const allowed = (await mutation.authorize?.(placed.value.draft)) ?? ok([]);
  if (!allowed.ok) return allowed;
  const { brandDomain, clientId, campaignId } = placed.value.draft.operation;
  const belonging: Belonging = defined({ brandDomain, clientId, campaignId });
  const parts = draft.spend?.parts ?? [];
  const { principalId, program, createdAt: at } = operation;
  const flight = draft.buy && { startTime: draft.buy.startTime, endTime: draft.buy.endTime };
  const question = { principalId, belonging, parts, at, ...defined({ program, flight }) };
  const found = await ports.standings(scope, question);
  const verdict = verdictOn(found);
  const changed =
    (await ports.sellersThatAsk?.(
      scope,
      parts.map(({ seller }) => seller),
    )) ?? [];
  const faults = [...unreached, ...offerFaults(prepared.value, shown, ports.clock.now())];
  const limitFaults =
    verdict.kind === 'refuse'
      ? [overLimitError(verdict.breaches)]
      : verdict.kind === 'no_rate'
        ? [noRateError(verdict)]
        : [];
  const legs = draft.legs.filter((leg) => leg.task === task.name);
  return ok({
    outcome:
      limitFaults.length > 0 ? 'refused' : verdict.kind === 'ask' || changed.length > 0 ? 'approval' : 'sent',
    currency: plan.currency,
    totalMicros: parts.reduce((sum, { amount }) => sum + amount, 0n),
    belonging,
    sellers: parts.map(({ legId, seller, amount }) => {
      const leg = legs.find(({ id }) => id === legId);
      return {
        seller,
        totalMicros: amount,
        problems: [...ofSeller(faults, seller, request), ...(leg?.errors ?? [])],
        missing: missingCreatives(plan, seller),
        findings: [
          // The finding about a missing signature is only for requests that were sent.
          ...(leg?.findings ?? []).filter(({ code }) => code !== unsignedLeg),
          ...absentFrom(prepared.value, shown, seller),
        ],
      };
    }),
    problems: [...ofNoSeller(faults, request), ...limitFaults],
    findings: [
      ...placed.value.findings,
      ...allowed.value,
      ...spendFindings(found),
      ...changedFinding(changed),
    ],
    limits: found.kind === 'known' ? found.standings : [],
  });
}

/** A product with formats runs only with a creative: its seller takes the buy, and waits for one. */
function missingCreatives({ legs }: BuyPlan, seller: string): readonly Finding[] {
  return legs
    .filter(({ connection }) => connection.slug === seller)
    .flatMap(({ packages }) => packages)
    .filter(({ offer, request }) => {
      const has = (request.creativeIds?.length ?? 0) > 0 || broughtBy(request).length > 0;
      return offer.formatIds !== undefined && !has;
    })
    .map(({ offer, position }) => ({
      code: 'CREATIVE_MISSING',
      message: `${prefixId(seller, offer.productId)} needs a creative, and none is assigned. It takes: ${formatsOf(offer)}.`,
      field: `packages[${position}].creative_assignments`,
    }));
}

const formatsOf = ({ formatIds = [] }: Offer): string =>
  formatIds
    .slice(0, 10)
    .map(({ id }) => id)
    .join(', ');

function refused(
  request: CreateMediaBuyRequest,
  slugs: readonly string[],
  errors: readonly TaskError[],
): BuyPreview {
  return {
    outcome: 'refused',
    sellers: slugs.map((seller) => ({
      seller,
      problems: ofSeller(errors, seller, request),
      missing: [],
      findings: [],
    })),
    problems: ofNoSeller(errors, request),
    findings: [],
    limits: [],
  };
}

function slugsOf({ packages, proposal }: CreateMediaBuyRequest): readonly string[] {
  const ids = [...packages.map(({ productId }) => productId), ...(proposal ? [proposal.proposalId] : [])];
  return [...new Set(ids.map(slugOf).filter((slug) => slug !== ''))];
}

function slugOf(id: string): string {
  const split = splitId(id);
  return split.ok ? split.value.slug : '';
}

/** The sellers that an error is about: those it names, else the seller of the package it names. */
function sellersIn({ details, field = '' }: TaskError, request: CreateMediaBuyRequest): readonly string[] {
  const { seller, sellers } = details ?? {};
  if (typeof seller === 'string') return [seller];
  if (Array.isArray(sellers)) return sellers.filter((entry) => typeof entry === 'string');
  const position = /^packages\[(\d+)\]/.exec(field)?.[1];
  const slug = position && slugOf(request.packages[Number(position)]?.productId ?? '');
  return slug ? [slug] : [];
}

const ofSeller = (
  errors: readonly TaskError[],
  seller: string,
  request: CreateMediaBuyRequest,
): readonly TaskError[] => errors.filter((error) => sellersIn(error, request).includes(seller));

const ofNoSeller = (errors: readonly TaskError[], request: CreateMediaBuyRequest): readonly TaskError[] =>
  errors.filter((error) => sellersIn(error, request).length === 0);

type Catalogues = Awaited<ReturnType<typeof queryCatalogues>>;

function reachFaults({ slug }: Connection, shown: ReadonlyMap<string, Catalogue>): readonly TaskError[] {
  const catalogue = shown.get(slug);
  if (catalogue?.kind === 'failed') return [failureAsError(catalogue.failure, slug)];
  if (catalogue !== undefined) return [];
  const message = `The credential of the seller ${slug} cannot be used now.`;
  return [taskError('CONFIGURATION_ERROR', message, { details: { seller: slug } })];
}

/** By prefixed product id. */
function offersIn(shown: Catalogues): Parameters<typeof priceFaults>[1] {
  return new Map(
    [...(shown ?? [])].flatMap(([slug, catalogue]) =>
      catalogue.kind === 'shown'
        ? catalogue.offers.map((offer) => [prefixId(slug, offer.productId), offer] as const)
        : [],
    ),
  );
}

/** Products whose terms in a catalogue differ from the quoted terms. */
function offerFaults({ draft }: PreparedBuy, shown: Catalogues, now: Instant): readonly TaskError[] {
  const offers = offersIn(shown);
  const quotes = (draft.spend?.quotes ?? []).filter(({ productId }) => offers.has(productId));
  return priceFaults(quotes, offers, now);
}

/** A product that was made for a brief is in no catalogue, so its absence is a finding and not an error. */
function absentFrom({ draft }: PreparedBuy, shown: Catalogues, seller: string): readonly Finding[] {
  const catalogue = shown?.get(seller);
  // A seller with an empty catalogue may not answer requests without a brief.
  if (catalogue?.kind !== 'shown' || catalogue.offers.length === 0) return [];
  const offers = offersIn(shown);
  const ids = [...new Set((draft.spend?.quotes ?? []).map(({ productId }) => productId))];
  return ids
    .filter((id) => slugOf(id) === seller && !offers.has(id))
    .map((id) => ({
      code: 'NOT_IN_CATALOGUE',
      message: `${id} is not in the catalogue of the seller. Its quote may still hold.`,
    }));
}

/** Replaces the leased secrets of legs that are never sent. */
function noSecrets(sellers: readonly Connection[]) {
  return new Map(sellers.map(({ id }) => [id, { keySecret: new Secret(Buffer.from(id)) }]));
}
