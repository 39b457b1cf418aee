import { defined, type JsonObject } from '@switchyard/values';
import type { CreateMediaBuyAnswer } from './create-media-buy.js';
import type { BuyHistoryEntry, BuyPart, MediaBuyView } from './media-buy-view.js';
import { buyStatusWord } from './buy-status.js';
import type { Form } from '../../versions/wire-profile.js';
import { actionMembers } from './buy-actions.js';
import { numberOf } from '../../message/amount.js';
import { fittedAccount } from '../account/account.js';
import { is3x, markSeller, withExt } from '../../message/form.js';
import { buyStatusMembers, projectCreatedPackage } from './media-buy.js';
import { without } from '../../message/pick.js';

/** Members of a seller's answer that concern the task or only us: they are written again for the caller. */
export const envelopeMembers = [
  'errors',
  'error',
  'adcp_error',
  'status',
  'media_buy_status',
  'task_id',
  'context',
  'context_id',
  'message',
  'timestamp',
  'replayed',
  'governance_context',
  'push_notification_config',
  'ads_version',
  'ads_major_version',
  'adcp_version',
  'adcp_major_version',
  'account',
];

/** Members that 3.0 does not have, or has in another shape. */
const only31 = [
  'confirmed_at',
  'status_as_of',
  'health',
  'impairments',
  'webhook_activity',
  'available_actions',
];

/** The answer to `create_media_buy`: one level, no `errors` beside the id. */
export function projectBuy(buy: CreateMediaBuyAnswer, to: Form): JsonObject {
  const { form, value } = buy.original;
  const isSameFamily = form === to || (is3x(form) && is3x(to));
  const base = isSameFamily
    ? without(value, form === to ? envelopeMembers : [...envelopeMembers, ...only31])
    : {};
  const typed = defined({
    media_buy_id: buy.mediaBuyId,
    buyer_ref: is3x(to) ? undefined : (buy.buyerRef ?? (to === '2.5' ? buy.mediaBuyId : undefined)),
    ...buyStatusMembers(settled(buy, to), to),
    confirmed_at: confirmation(buy.confirmedAt, to),
    revision: buy.revision ?? (to === '3.1' ? 1 : undefined),
    currency: to === '3.1' || to === 'service' ? buy.currency : undefined,
    total_budget:
      (to === '3.1' || to === 'service') && buy.totalBudget !== undefined
        ? numberOf(buy.totalBudget)
        : undefined,
    ...deadlineAndRecipient(buy, to),
  });
  const packages = buy.packages.map((made) => withReference(projectCreatedPackage(made, to), to));
  return markSeller(
    { ...base, ...(typed as JsonObject), packages, ...actionMembers(buy.actions, to) },
    buy.seller,
    to,
  );
}

/** One row of `get_media_buys`: there the buy's status is named `status` in every form. */
export function projectBuyView(buy: MediaBuyView, to: Form): JsonObject {
  const { form, value } = buy.original;
  const isSameFamily = form === to || (is3x(form) && is3x(to));
  const shown = form === to ? without(value, []) : fittedAccount(without(value, only31), to);
  const base = isSameFamily ? shown : {};
  const isModern = is3x(to);
  // A seller that gives no time of confirmation had confirmed by the time the buy was seen active.
  const seenAt = buy.confirmedAt === undefined && buy.status === 'active' ? buy.statusAsOf : undefined;
  const known = seenAt === undefined ? buy : { ...buy, confirmedAt: seenAt };
  const typed = defined({
    media_buy_id: buy.mediaBuyId,
    buyer_ref: isModern ? undefined : buy.buyerRef,
    status: buyStatusWord(settled(known, to).status, to),
    currency: buy.currency ?? (isModern ? 'USD' : undefined),
    total_budget: totalOf(buy, isModern),
    start_time: buy.startTime === 'asap' && isModern ? undefined : buy.startTime,
    end_time: buy.endTime,
    created_at: isModern ? buy.createdAt : undefined,
    updated_at: isModern ? buy.updatedAt : undefined,
    confirmed_at: confirmation(known.confirmedAt, to),
    revision: buy.revision ?? (to === '3.1' ? 1 : undefined),
    rejection_reason: buy.rejectionReason,
    cancellation: isModern && buy.cancellation !== undefined ? structuredClone(buy.cancellation) : undefined,
    ...deadlineAndRecipient(buy, to),
    status_as_of: to === '3.1' || to === 'service' ? buy.statusAsOf : undefined,
    context: buy.context === undefined ? undefined : structuredClone(buy.context),
    impairments:
      to === '3.0' || to === '2.5'
        ? undefined
        : buy.impairments.map((impairment) => structuredClone(impairment)),
    health: to === '3.1' ? (buy.impairments.length === 0 ? 'ok' : 'impaired') : undefined,
    webhook_activity: buy.webhookActivity?.map((attempt) => structuredClone(attempt)),
    history: isModern ? buy.history?.map(historyMembers) : undefined,
  });
  const packages = buy.packages.map((made) => withReference(projectCreatedPackage(made, to), to));
  const row = markSeller(
    { ...base, ...(typed as JsonObject), packages, ...actionMembers(buy.actions, to) },
    buy.seller,
    to,
  );
  const ours = defined({
    parts: buy.parts?.map(partMembers),
    cases: buy.cases?.map((one) => structuredClone(one)),
  }) as JsonObject;
  if (Object.keys(ours).length === 0) return row;
  return to === 'service' ? { ...row, ...ours } : { ...row, ...withExt(row, ours) };
}

/** Every form has the deadline or allows it; 2.5 and `service` have no invoices. */
function deadlineAndRecipient(
  { creativeDeadline, invoiceRecipient }: CreateMediaBuyAnswer,
  to: Form,
): Readonly<Record<string, unknown>> {
  return {
    creative_deadline: creativeDeadline,
    invoice_recipient:
      is3x(to) && invoiceRecipient !== undefined ? structuredClone(invoiceRecipient) : undefined,
  };
}

function partMembers(part: BuyPart): JsonObject {
  const { seller, status, rejectionReason, creativeDeadline, startTime, endTime, asked } = part;
  return {
    seller,
    status,
    ...defined({ start_time: startTime, end_time: endTime }),
    ...(asked === undefined ? {} : { asked: structuredClone(asked) }),
    ...defined({ rejection_reason: rejectionReason, creative_deadline: creativeDeadline }),
  };
}

/** Only 3.x has a history (docs/protocol/media-buys.md#changes). */
function historyMembers({
  revision,
  timestamp,
  action,
  actor,
  summary,
  packageId,
}: BuyHistoryEntry): JsonObject {
  return {
    revision,
    timestamp,
    action,
    ...defined({ actor, summary, package_id: packageId }),
  };
}

/** Only 3.1 has `null` for "not confirmed yet". */
function confirmation(confirmedAt: string | null | undefined, to: Form): string | null | undefined {
  return to === '3.1' ? (confirmedAt ?? null) : (confirmedAt ?? undefined);
}

/** In 3.1 an unconfirmed buy cannot be active: its status is `pending_start`. */
function settled(buy: CreateMediaBuyAnswer, to: Form): CreateMediaBuyAnswer {
  const isOpen = to === '3.1' && buy.status === 'active' && typeof buy.confirmedAt !== 'string';
  return isOpen ? { ...buy, status: 'pending_start' } : buy;
}

/** 2.5 requires a reference on every package in an answer. */
export function withReference(made: JsonObject, to: Form): JsonObject {
  if (to !== '2.5' || made['buyer_ref'] !== undefined) return made;
  return { ...made, buyer_ref: made['package_id'] ?? '' };
}

function totalOf(buy: MediaBuyView, isModern: boolean): number | undefined {
  if (buy.totalBudget !== undefined) return numberOf(buy.totalBudget);
  return isModern ? 0 : undefined;
}
