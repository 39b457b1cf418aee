import {
  updateMediaBuy as task,
  type Finding,
  type UpdateMediaBuyRequest,
  profileOf,
} from '@switchyard/protocol';
import { accountAt, inAccount } from '../plan/client-accounts.js';
import { atBuyerPaths, findingsOfPart } from '../apply/buyer-path.js';
import { cancellationTerms } from '../terms/cancellation-terms.js';
import type { Mutation } from '../model/caller.js';
import { projectWithSellerIds, type CreativesAtSellers } from '../creatives/creatives-at-sellers.js';
import { inlineCreatives } from '../model/creatives-of-leg.js';
import { draftLeg, type LegDraft } from '../call/draft-leg.js';
import { draftPackage } from '../plan/draft-rows.js';
import { refreezesOf, type Drafted } from '../call/reencode.js';
import type { Offer } from '../model/offer.js';
import type { BuyPackage, MediaBuyRecord, Operation } from '../model/operation.js';
import type { PlannedChange, UpdatePlan } from '../plan/update-plan.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import { reportedOf } from '../model/outbound.js';
import { madeBy } from '../call/sent-terms.js';
import { draftTerms } from '../terms/stored-terms.js';
import { quotedZone, withQuoted } from '../terms/quoted-terms.js';
import { type OfferKeys, withKeys } from '../signals/offer-keys.js';
import { spendOfChange } from '../spending/spend-draft.js';

/** A planned change of a buy, with the input of its requests. */
interface UpdateToDraft {
  readonly operation: Operation;
  readonly record: MediaBuyRecord;
  readonly plan: UpdatePlan;
  /** By id of the connection. */
  readonly secrets: ReadonlyMap<string, LegSecrets>;
  readonly offers: ReadonlyMap<string, Offer>;
  readonly offerKeys: OfferKeys;
  readonly names: CreativesAtSellers['names'];
}

/** Creates everything that is stored for a change before its sellers are called. */
export function draftUpdate(
  ports: BuysPorts,
  mutation: Mutation<UpdateMediaBuyRequest>,
  update: UpdateToDraft,
): Drafted {
  const { operation, record, plan, offers } = update;
  const { buy } = record;
  const drafts = plan.changes.map((planned, at) => {
    const draft = draftChange(ports, planned, update);
    const terms = cancellationTerms(planned.request, record, {
      sellerBuy: planned.sellerBuy,
      offers,
      now: operation.createdAt,
    });
    const places = plan.changes.map((change) => change.places);
    return {
      planned,
      draft: withFindings(draft, [...findingsOfPart(plan.findings, places, at), ...terms]),
    };
  });
  // Only their order: the final positions are assigned under the lock of the buy.
  let position = -1;
  const packages = drafts.flatMap(({ planned, draft }) => {
    const sent = madeBy(reportedOf(draft.leg));
    return planned.added.map((item, at): BuyPackage => {
      position += 1;
      const place = { mediaBuyId: buy.id, legId: draft.leg.id, position, seller: planned.sellerBuy.seller };
      const drafted = draftPackage({ id: ports.ids.uuid(), ...place }, item);
      const terms = withQuoted(draftTerms(item.request, sent[at]), item.offer);
      return { ...drafted, ...quotedZone(item.offer), terms };
    });
  });
  const brought = plan.changes.flatMap(({ request }) => [...request.packages, ...request.newPackages]);
  const creatives = inlineCreatives(
    brought,
    mutation.profile,
    drafts.map(({ draft }) => draft.leg),
  );
  const isDone = drafts.length === 0;
  const done = { status: 'completed' as const, settledAt: operation.createdAt };
  return {
    operation: { ...operation, mediaBuyId: buy.id, ...(isDone ? done : {}) },
    legs: drafts.map(({ draft }) => draft.leg),
    registrations: drafts.flatMap(({ draft }) => draft.registrations.filter(({ kind }) => kind !== 'report')),
    sellerBuys: [],
    again: refreezesOf(drafts.map(({ draft }) => draft)),
    packages,
    spend: spendOfChange(
      plan,
      buy,
      drafts.map(({ draft }) => draft.leg),
    ),
    ...(creatives === undefined ? {} : { creatives }),
    guard: {
      mediaBuyId: buy.id,
      sellerBuyIds: plan.changes.map(({ sellerBuy }) => sellerBuy.id),
      ...(mutation.request.revision === undefined ? {} : { revision: mutation.request.revision }),
    },
  };
}

function draftChange(
  ports: BuysPorts,
  { connection, sellerBuy, request, places }: PlannedChange,
  { operation, record, secrets, offerKeys, names }: UpdateToDraft,
): LegDraft {
  const { leg, registrations, again } = draftLeg(
    { ports, operation, connection, secrets: secrets.get(connection.id) },
    projectWithSellerIds(({ reportingWebhook: _standsAlready, ...extras }, at) => {
      const whole = withKeys([request], at, offerKeys);
      const packages = withKeys(request.packages, at, offerKeys);
      const added = withKeys(request.newPackages, at, offerKeys);
      const keyed = {
        ...(whole.requests[0] ?? request),
        packages: packages.requests,
        newPackages: added.requests,
      };
      const { findings, ...projected } = task.projectRequest(
        { ...keyed, ...extras, account: accountAt(inAccount(at, sellerBuy), record.buy) },
        profileOf(at),
      );
      const placed = atBuyerPaths(findings, places);
      return {
        ...projected,
        findings: [...placed, ...whole.findings, ...packages.findings, ...added.findings],
      };
    }, names.get(connection.id)),
  );
  return { leg: { ...leg, sellerBuyId: sellerBuy.id }, registrations, again };
}

function withFindings(draft: LegDraft, findings: readonly Finding[]): LegDraft {
  return { ...draft, leg: { ...draft.leg, findings: [...draft.leg.findings, ...findings] } };
}
