import { createMediaBuy, type CreateMediaBuyAnswer, type CreatedPackage } from '@switchyard/protocol';
import { defined, type Instant, isoOf } from '@switchyard/values';
import { microsToDecimal } from '@switchyard/money';
import { recordUpdate } from './record-update.js';
import { omitCanceled } from './judge-reported-package.js';
import { mapPackages, type PackageMatch } from '../terms/map-packages.js';
import { isSettled } from '../model/leg-state.js';
import { differingTerms, withReportedTerms } from '../terms/stored-terms.js';
import { placeOf as placeInRequest } from '../terms/cancellation-terms.js';
import { quotedAmount } from '../terms/quoted-terms.js';
import { withReportedBuy } from './reported-buy.js';
import { datesIn, applyReportedFlight } from './apply-reported-flight.js';
import { replaceSellerBuy } from '../model/replace-seller-buy.js';
import type { BuyPackage, Leg, SellerBuy, BuyChange } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { adoptPackages, boughtByProposal, type Adopted } from './adopt-packages.js';
import { placeOf } from './record-changes.js';

/** Applies a settled leg that creates or changes a buy. Other legs change nothing. */
export function recordAnswer(state: OperationState, leg: Leg, at: Instant): OperationState {
  if (leg.sellerBuyId !== undefined) return recordUpdate(state, leg, at);
  const before = state.sellerBuys.find((candidate) => candidate.legId === leg.id);
  if (state.buy === undefined || before === undefined || !isSettled(leg)) return state;
  const read =
    leg.status === 'completed' ? createMediaBuy.readAnswer(leg.answer ?? {}, leg.profile) : undefined;
  if (read?.ok !== true) {
    const status = leg.status === 'canceled' ? 'canceled' : 'rejected';
    const [error] = leg.errors;
    const reason = status === 'rejected' && error !== undefined ? { rejectionReason: error.message } : {};
    return replaceSellerBuy(state, withReportedBuy({ ...before, status, statusAsOf: at }, reason));
  }
  const { answer } = read.value;
  const flight = applyReportedFlight(
    state.buy,
    sellerBuyOf(before, answer, at),
    datesIn(answer.original),
    leg,
  );
  const own = { ...leg, findings: [...leg.findings, ...flight.findings] };
  const made = replaceSellerBuy(state, flight.sellerBuy);
  const named = withPackages(made, own, answer.packages, at);
  const bought = recordPurchase(named, leg, at);
  const { state: booked, changes } = omitCanceled(named, leg, answer.packages, at);
  return { ...booked, changes: [...(booked.changes ?? []), ...bought, ...changes] };
}

function sellerBuyOf(before: SellerBuy, answer: CreateMediaBuyAnswer, at: Instant): SellerBuy {
  const confirmedAt = confirmedBy(answer.confirmedAt, at);
  return {
    ...withReportedBuy(before, answer),
    sellerMediaBuyId: answer.mediaBuyId,
    status: answer.status,
    statusAsOf: at,
    ...defined({ revision: answer.revision, actions: answer.actions, confirmedAt }),
  };
}

/**
 * When a seller confirmed: its own time; the time of receipt where its form has no such member; undefined
 * where it sends `null`, which is a provisional acceptance (docs/protocol/media-buys.md#confirmation).
 */
export function confirmedBy(reported: string | null | undefined, at: Instant): Instant | undefined {
  if (reported === null) return undefined;
  if (reported === undefined) return at;
  const time = Date.parse(reported);
  return Number.isNaN(time) ? at : time;
}

function withPackages(
  state: OperationState,
  leg: Leg,
  created: readonly CreatedPackage[],
  at: Instant,
): OperationState {
  const own = state.packages.filter((item) => item.legId === leg.id);
  const matches = mapPackages(own, created);
  const booked = bookedOf(state, leg, { packages: own, matches, created }, at);
  const findings = matches
    .filter((match) => match.by === 'order')
    .map((match) => ({
      code: 'PACKAGE_MATCHED_BY_ORDER',
      message: `The seller's package ${match.created.packageId} was matched by its place alone.`,
    }));
  const legs = state.legs.map((other) =>
    other.id === leg.id ? { ...leg, findings: [...leg.findings, ...findings, ...booked.findings] } : other,
  );
  // The order is kept; packages that the seller added come last.
  const after = new Map(booked.packages.map((item) => [item.id, item]));
  const known = new Set(state.packages.map(({ id }) => id));
  const packages = [
    ...state.packages.map((item) => after.get(item.id) ?? item),
    ...booked.packages.filter(({ id }) => !known.has(id)),
  ];
  return { ...state, packages, legs };
}

function bookedOf(
  { buy, sellerBuys }: OperationState,
  leg: Leg,
  { packages: own, matches, created }: Made,
  at: Instant,
): Adopted {
  if (buy !== undefined && boughtByProposal(leg)) {
    const of = { leg, mediaBuyId: buy.id, currency: buy.currency, at };
    const { packages, findings } = adoptPackages(own, matches, created, of);
    return { packages: withWordsOf(packages, created), findings };
  }
  const made = new Map(matches.map((match) => [match.ordered.id, match.created]));
  const isPaused = sellerBuys.some(({ legId, status }) => legId === leg.id && status === 'paused');
  const packages = own.map((item): BuyPackage => {
    const reported = made.get(item.id);
    if (reported === undefined) return item;
    // A seller may show every package of a paused part as paused; this does not pause the packages.
    const staysPaused = reported.paused === true && !isPaused;
    const named = { ...item, sellerPackageId: reported.packageId, ...(staysPaused ? { paused: true } : {}) };
    return withReportedTerms(named, reported);
  });
  const findings = packages.flatMap((item) => {
    const budget = made.get(item.id)?.budget;
    return differingTerms(
      item,
      budget === undefined ? undefined : quotedAmount(budget),
      placeInRequest(item),
    );
  });
  return { packages, findings };
}

/** Returns packages with the terms that their seller reported. */
function withWordsOf(
  packages: readonly BuyPackage[],
  received: readonly CreatedPackage[],
): readonly BuyPackage[] {
  return packages.map((item) => {
    const reported = received.find(({ packageId }) => packageId === item.sellerPackageId);
    return reported === undefined ? item : withReportedTerms(item, reported);
  });
}

interface Made {
  readonly packages: readonly BuyPackage[];
  readonly matches: readonly PackageMatch[];
  readonly created: readonly CreatedPackage[];
}

/**
 * Returns the record of a purchase that a seller accepted: what was bought and on what terms. A seller that
 * accepts provisionally sends no time of confirmation. `confirmed_at` is then null, and `confirm` follows
 * (docs/protocol/media-buys.md#confirmation).
 */
function recordPurchase(state: OperationState, leg: Leg, at: Instant): readonly BuyChange[] {
  const { buy } = state;
  const sellerBuy = state.sellerBuys.find(({ legId }) => legId === leg.id);
  if (buy === undefined || sellerBuy?.sellerMediaBuyId === undefined) return [];
  const packages = state.packages.filter(({ legId }) => legId === leg.id);
  const { confirmedAt, revision } = sellerBuy;
  return [
    {
      ...placeOf({ state, leg, sellerBuy, at }),
      actor: 'buyer',
      action: purchase,
      revision: buy.revision,
      detail: {
        seller_media_buy_id: sellerBuy.sellerMediaBuyId,
        status: sellerBuy.status,
        seller_revision: revision ?? null,
        confirmed_at: confirmedAt === undefined ? null : isoOf(confirmedAt),
        start_time: buy.startTime,
        end_time: buy.endTime,
        packages: packages.map((item) => ({
          package_id: item.sellerPackageId ?? null,
          buyer_ref: item.buyerRef ?? null,
          product_id: item.productId,
          pricing_option_id: item.pricingOptionId,
          budget: microsToDecimal(item.budgetMicros),
          currency: item.currency,
        })),
      },
    },
  ];
}

/** The action of a change that creates a part. */
const purchase = 'create';
