import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { buyStatusWord, readBuyStatus } from './buy-status.js';
import type { CreateMediaBuyAnswer, CreatedPackage } from './create-media-buy.js';
import type { Finding } from '../../losses/finding.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { readActions } from './buy-actions.js';
import { numberOf, priceAt } from '../../message/amount.js';
import { fittedTerms } from '../package/fitted-terms.js';
import { is3x, sellerOf, withExt } from '../../message/form.js';
import { projectPackageTerms, readReportedPackage } from '../package/package-terms.js';
import {
  booleanAt,
  revisionAt,
  listAt,
  member,
  objectAt,
  patched,
  textAt,
  without,
  objectsAt,
} from '../../message/pick.js';
import { projectTargeting, readTargeting } from '../targeting/targeting.js';
import type { CreativeApproval } from '../creative/creative-messages.js';

interface BuyReading {
  readonly buy: CreateMediaBuyAnswer;
  readonly setAside: readonly Finding[];
}

/**
 * Reads the answer that created a buy. There `status: completed` without a `media_buy_status` is the task's status
 * (docs/protocol/requests-and-versions.md#status-words): a new buy is not completed.
 */
export function readNewBuy(value: JsonObject, form: Form, exact: ExactNumbers): Result<BuyReading, Finding> {
  const reading = readBuy(value, form, '', exact);
  if (!reading.ok || value['status'] !== 'completed' || value['media_buy_status'] !== undefined)
    return reading;
  const { buy, setAside } = reading.value;
  return ok({ buy: { ...buy, status: 'pending_start' }, setAside });
}

/**
 * Reads a seller's buy in any form. Without a known status it has not begun. Only the id is required; packages without
 * one are set aside.
 */
export function readBuy(
  value: JsonObject,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<BuyReading, Finding> {
  const mediaBuyId = textAt(value, 'media_buy_id');
  if (mediaBuyId === undefined)
    return err({ code: 'MEDIA_BUY_SET_ASIDE', message: 'a media buy has no media_buy_id' });
  const readings = (listAt(value, 'packages') ?? []).map((item, index) =>
    readCreatedPackage(item, form, `${pointer}/packages/${index}`, exact),
  );
  const confirmedAt = member(value, 'confirmed_at');
  const buy: CreateMediaBuyAnswer = {
    mediaBuyId,
    status: readBuyStatus(value['media_buy_status']) ?? readBuyStatus(value['status']) ?? 'pending_start',
    packages: readings.filter((reading) => reading.ok).map((reading) => reading.value),
    ...defined({
      seller: sellerOf(value),
      buyerRef: textAt(value, 'buyer_ref') ?? textAt(objectAt(value, 'context'), 'buyer_ref'),
      confirmedAt: confirmedAt === null ? null : textAt(value, 'confirmed_at'),
      revision: revisionAt(value),
      currency: textAt(value, 'currency'),
      totalBudget: priceAt(value, 'total_budget', pointer, exact),
      creativeDeadline: textAt(value, 'creative_deadline'),
      invoiceRecipient: readRecipient(value),
      actions: readActions(value),
    }),
    original: { form, value },
  };
  return ok({ buy, setAside: readings.filter((reading) => !reading.ok).map((reading) => reading.error) });
}

/** Reads who gets the invoice. A bank account is removed: 3.x forbids it in answers. */
export function readRecipient(value: JsonObject): JsonObject | undefined {
  const recipient = objectAt(value, 'invoice_recipient');
  return textAt(recipient, 'legal_name') === undefined || recipient === undefined
    ? undefined
    : without(recipient, ['bank']);
}

export function readCreatedPackage(
  value: JsonValue,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<CreatedPackage, Finding> {
  const packageId = isJsonObject(value) ? textAt(value, 'package_id') : undefined;
  if (!isJsonObject(value) || packageId === undefined) {
    return err({ code: 'PACKAGE_SET_ASIDE', message: 'a package has no package_id' });
  }
  const context = objectAt(value, 'context');
  const targeting = objectAt(value, 'targeting_overlay');
  const { targeting_overlay: _asTargeting, ...rest } = readReportedPackage(value);
  return ok({
    packageId,
    ...defined({
      buyerRef: textAt(value, 'buyer_ref') ?? textAt(context, 'buyer_ref'),
      productId: textAt(value, 'product_id'),
      pricingOptionId: textAt(value, 'pricing_option_id'),
      budget: priceAt(value, 'budget', pointer, exact),
      paused: booleanAt(value, 'paused'),
      canceled: booleanAt(value, 'canceled'),
      targeting: targeting === undefined ? undefined : readTargeting(targeting),
      reportedTerms: Object.keys(rest).length === 0 ? undefined : rest,
      creativeApprovals: readApprovals(value),
      context,
    }),
    original: { form, value },
  });
}

/** If other terms apply than the buyer requested, adds the requested ones as `asked`, a member of our own. */
function withRequestedTerms(item: JsonObject, requested: JsonObject | undefined, to: Form): JsonObject {
  if (requested === undefined) return item;
  const copy = structuredClone(requested);
  return to === 'service' ? { ...item, asked: copy } : { ...item, ...withExt(item, { asked: copy }) };
}

/** `budget` is a number and `context` an object in every form; the older forms have a member for references. */
export function projectCreatedPackage(made: CreatedPackage, to: Form): JsonObject {
  const typed = {
    package_id: made.packageId,
    product_id: made.productId,
    pricing_option_id: made.pricingOptionId,
    budget: made.budget === undefined ? undefined : numberOf(made.budget),
    targeting_overlay:
      made.targeting === undefined ? undefined : projectTargeting(made.targeting, to).targeting,
    creative_approvals: to === '2.5' ? undefined : made.creativeApprovals?.map(projectApproval),
    context: made.context,
    paused: made.paused,
    canceled: is3x(to) && made.canceled === true ? true : undefined,
    buyer_ref: is3x(to) ? undefined : made.buyerRef,
  };
  const { form, value } = made.original;
  if (form === to) return patched(value, typed);
  if (is3x(form) && is3x(to)) return patched(fittedTerms(value, to).terms, typed);
  const fitted = fittedTerms(projectPackageTerms(made.reportedTerms ?? {}, to), to).terms;
  const written = structuredClone({ ...fitted, ...defined(typed) });
  return withRequestedTerms(written, made.asked, to);
}

/** The member for the buy's own status, which differs from the task's name only since 3.1. */
export function buyStatusMembers(buy: CreateMediaBuyAnswer, to: Form): JsonObject {
  if (to === '2.5') return {};
  const word = buyStatusWord(buy.status, to);
  return to === '3.1' ? { media_buy_status: word } : { status: word };
}

/** Reads `creative_approvals` of a package. A row without a creative or with an unknown state is ignored. */
function readApprovals(value: JsonObject): readonly CreativeApproval[] | undefined {
  if (listAt(value, 'creative_approvals') === undefined) return undefined;
  return objectsAt(value, 'creative_approvals').flatMap((approval): readonly CreativeApproval[] => {
    const creativeId = textAt(approval, 'creative_id');
    const word = textAt(approval, 'approval_status');
    const status = word === 'pending' ? 'pending_review' : word;
    if (creativeId === undefined) return [];
    if (status !== 'pending_review' && status !== 'approved' && status !== 'rejected') return [];
    return [{ creativeId, status, ...defined({ reason: textAt(approval, 'rejection_reason') }) }];
  });
}

function projectApproval({ creativeId, status, reason }: CreativeApproval): JsonObject {
  return defined({
    creative_id: creativeId,
    approval_status: status,
    // Only a rejection has a reason.
    rejection_reason: status === 'rejected' ? reason : undefined,
  });
}
