import {
  createMediaBuy as task,
  partInRelease,
  proposalMembers,
  type CreateMediaBuyRequest,
  type Finding,
  profileOf,
} from '@switchyard/protocol';
import { accountAt } from '../plan/client-accounts.js';
import { atBuyerPaths, findingsOfPart, type BuyerPaths } from '../apply/buyer-path.js';
import type { Mutation } from '../model/caller.js';
import type { BuyerAccount } from '../model/buyer-account.js';
import { projectWithSellerIds, type CreativesAtSellers } from '../creatives/creatives-at-sellers.js';
import { inlineCreatives } from '../model/creatives-of-leg.js';
import { draftLeg, type LegDraft } from '../call/draft-leg.js';
import { draftMediaBuy, draftPackage, draftSellerBuy } from '../plan/draft-rows.js';
import { refreezesOf, type Drafted } from '../call/reencode.js';
import { draftUndo } from './draft-undo.js';
import { finestCommonFrequency } from '../model/offer.js';
import type { BuyPackage, MediaBuy, Operation } from '../model/operation.js';
import type { BuyPlan, PlannedLeg } from '../plan/plan-buy.js';
import type { PlannedPackage } from '../plan/planned-package.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import { draftTermsInOrder, termsOfProposal } from '../terms/stored-terms.js';
import { quotedZone, withQuoted } from '../terms/quoted-terms.js';
import { reportedOf } from '../model/outbound.js';
import { takesProposals } from '../model/proposal.js';
import { type OfferKeys, withKeys } from '../signals/offer-keys.js';
import { spendOfBuy } from '../spending/spend-draft.js';

type BuyMutation = Mutation<CreateMediaBuyRequest> & { readonly account: BuyerAccount };

/** The input of a buy's draft, beside its plan. */
interface BuyDraftContext {
  readonly ports: BuysPorts;
  readonly mutation: BuyMutation;
  readonly operation: Operation;
  /** By the connection's id. */
  readonly secrets: ReadonlyMap<string, LegSecrets>;
  readonly offerKeys: OfferKeys;
  readonly names: CreativesAtSellers['names'];
}

/** Creates everything that is stored for a buy before a request is sent: the local buy, and the part of each seller. */
export function draftBuy(context: BuyDraftContext, plan: BuyPlan): Drafted {
  const { ports, mutation, operation } = context;
  const { account, request } = mutation;
  const buy = draftMediaBuy(ports.ids, operation, {
    request,
    brandDomain: account.brandDomain,
    brandId: account.brandId === '' ? undefined : account.brandId,
    operator: account.operator,
    currency: plan.currency,
  });
  const drafts = plan.legs.map((planned) => ({
    planned,
    draft: draftBuyLeg(context, buy, planned),
  }));
  const sellerBuys = drafts.map(({ planned, draft }) =>
    draftSellerBuy(ports.ids, buy, draft.leg, accountIdOf(planned.connection)),
  );
  const isAtomic = request.allOrNothing === true && drafts.length > 1;
  const undo = isAtomic
    ? drafts.map(({ planned }, at) => draftUndo(context, buy, planned, sellerBuys[at]?.id ?? ''))
    : [];
  const creatives = inlineCreatives(
    plan.legs.flatMap(({ packages }) => packages.map(({ request }) => request)),
    mutation.profile,
    drafts.map(({ draft }) => draft.leg),
  );
  return {
    operation,
    buy,
    again: refreezesOf([...drafts.map(({ draft }) => draft), ...undo]),
    ...(creatives === undefined ? {} : { creatives }),
    // Findings on the request are stored on the leg of their package, else on the first leg, for every later answer.
    legs: [
      ...drafts.map(({ draft: { leg } }, at) => ({
        ...leg,
        findings: [...leg.findings, ...findingsOfPart(plan.findings, plan.legs.map(placesOf), at)],
      })),
      ...undo.map(({ leg }) => leg),
    ],
    registrations: [
      ...drafts.flatMap(({ draft }) => draft.registrations),
      ...undo.flatMap(({ registrations }) => registrations),
    ],
    sellerBuys,
    packages: drafts.flatMap(({ planned, draft }) => packagesOf(ports, buy, planned, draft)),
    spend: spendOfBuy(
      plan,
      drafts.map(({ draft: { leg } }) => leg),
    ),
  };
}

function draftBuyLeg(
  { ports, mutation, operation, secrets, offerKeys, names }: BuyDraftContext,
  buy: MediaBuy,
  leg: PlannedLeg,
): LegDraft {
  // With its own proposal a seller is sent only the packages that the buyer overrides.
  const sent = leg.packages.filter(({ isDerived }) => leg.proposal === undefined || isDerived !== true);
  const frequency = finestCommonFrequency(leg.packages.map((item) => item.offer));
  return draftLeg(
    { ports, operation, connection: leg.connection, secrets: secrets.get(leg.connection.id) },
    projectWithSellerIds(({ reportingWebhook, ...extras }, connection) => {
      const profile = profileOf(connection);
      const requested = sent.map((item) => item.request);
      const keyed = withKeys(requested, connection, offerKeys);
      const own = ownPartOf(leg, mutation.request);
      const request: CreateMediaBuyRequest = {
        ...own.request,
        ...extras,
        // A manifest may contain no domain: the account's brand is then the advertiser.
        brand: { domain: mutation.account.brandDomain, ...own.request.brand },
        // A seller that is read again comes without the account of the client.
        account: accountAt(leg.connection, buy),
        packages: keyed.requests,
        ...(reportingWebhook === undefined
          ? {}
          : { reportingWebhook: { ...reportingWebhook, ...(frequency === undefined ? {} : { frequency }) } }),
      };
      const { governanceContext: _forOneSellerOnly, contextId: _ours, ...passedOn } = request;
      const places = { packages: sent.map(({ position }) => position), new_packages: [] };
      const part = partInRelease(task.name, mutation.request, passedOn, places);
      const { findings, ...projected } = task.projectRequest(part, profile);
      const placed = atBuyerPaths(findings, places).map((finding) => atTheProposal(finding, sent));
      return { ...projected, findings: [...own.findings, ...placed, ...keyed.findings] };
    }, names.get(leg.connection.id)),
    // The plan chose between proposal and packages by what the seller supported then.
    (now) => leg.proposal === undefined || takesProposals(now),
  );
}

function accountIdOf({ account, hasAccounts }: PlannedLeg['connection']): string | undefined {
  return hasAccounts === true && account !== undefined && 'accountId' in account
    ? account.accountId
    : undefined;
}

interface OwnPart {
  readonly request: CreateMediaBuyRequest;
  readonly findings: readonly Finding[];
}

/**
 * The request for one seller. A proposal is sent only to its own seller, with the seller's id. In a buy at several
 * sellers, no seller gets the total of all, nor the acceptance that the buyer signed: an acceptance is for one
 * seller's order (docs/protocol/media-buys.md#checks-before-any-seller-is-asked), and the request does not say whose.
 */
function ownPartOf(leg: PlannedLeg, request: CreateMediaBuyRequest): OwnPart {
  const { proposal: requested, ...rest } = request;
  if (leg.proposal !== undefined) return { request: { ...rest, proposal: leg.proposal }, findings: [] };
  const ofTheWhole = request.packages.length > leg.packages.length;
  if (requested === undefined && !ofTheWhole) return { request, findings: [] };
  const { form, value } = request.original;
  const stored = Object.entries(value).filter(([name]) => !proposalMembers.some((member) => member === name));
  const left = requested === undefined ? proposalMembers.filter((name) => Object.hasOwn(value, name)) : [];
  const message = 'This member is for one seller, or for all together: with several sellers it is not sent.';
  return {
    request: { ...rest, original: { form, value: Object.fromEntries(stored) } },
    findings: left.map((field) => ({ code: 'NOT_CARRIED', message, field })),
  };
}

/** Moves a finding from a package that the buyer did not write to the proposal that the package comes from. */
function atTheProposal(finding: Finding, sent: readonly PlannedPackage[]): Finding {
  const position = /^packages\[(\d+)\]/.exec(finding.field ?? '')?.[1];
  const item = sent.find((sentPackage) => String(sentPackage.position) === position);
  return item?.isDerived === true ? { ...finding, field: 'proposal_id' } : finding;
}

function packagesOf(
  ports: BuysPorts,
  buy: MediaBuy,
  planned: PlannedLeg,
  { leg }: LegDraft,
): readonly BuyPackage[] {
  const isWritten = (item: PlannedPackage): boolean =>
    planned.proposal === undefined || item.isDerived !== true;
  const written = planned.packages.filter(isWritten);
  const terms = draftTermsInOrder(
    written.map(({ request }) => request),
    reportedOf(leg)['packages'],
  );
  return planned.packages.map((item) => {
    const place = { mediaBuyId: buy.id, legId: leg.id, position: item.position, seller: leg.seller };
    const drafted = draftPackage({ id: ports.ids.uuid(), ...place }, item);
    const stored = terms[written.indexOf(item)] ?? termsOfProposal(drafted);
    return { ...drafted, ...quotedZone(item.offer), terms: withQuoted(stored, item.offer) };
  });
}

/** The positions of a leg's packages in the buyer's list. */
function placesOf({ packages }: Pick<PlannedLeg, 'packages'>): BuyerPaths {
  return { packages: packages.map(({ position }) => position), new_packages: [] };
}
