import { defined, ok, type JsonObject } from '@switchyard/values';
import { answeredForm } from '../versions/seller-form.js';
import { buyStatusWord, readBuyStatus, type MediaBuyStatus } from '../entities/media-buy/buy-status.js';
import type { Finding } from '../losses/finding.js';
import type { UpdateMediaBuyAnswer, UpdateMediaBuyRequest } from '../entities/media-buy/update-media-buy.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { actionMembers, readActions } from '../entities/media-buy/buy-actions.js';
import { numberOf, priceAt } from '../message/amount.js';
import { unusable } from '../message/answer.js';
import { is3x, markSeller, sellerOf } from '../message/form.js';
import { inputSchemaOf, readShape } from '../message/shapes.js';
import { projectCreatedPackage, readCreatedPackage, readRecipient } from '../entities/media-buy/media-buy.js';
import { listAt, member, revisionAt, textAt, without } from '../message/pick.js';
import { envelopeMembers, withReference } from '../entities/media-buy/project-buy.js';
import { projectUpdate } from '../entities/media-buy/project-update.js';
import { readUpdate, updateShape } from '../entities/media-buy/update-request.js';

export const updateMediaBuy: TaskSpec<UpdateMediaBuyRequest, UpdateMediaBuyAnswer> = {
  name: 'update_media_buy',
  names: { ads: ['update_media_buy'], adcp: ['update_media_buy'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'media_buys',
  permission: 'write',
  serves: 'sales',
  deadlineMs: 30_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(updateShape),

  readRequest(args, profile, exact) {
    const checked = readShape(updateShape, args);
    return checked.ok ? readUpdate(args, profile, exact) : checked;
  },

  projectRequest(request, to) {
    return projectUpdate(request, to);
  },

  readAnswer(payload, from, exact = new Map()) {
    const form = answeredForm(payload, from);
    const mediaBuyId = textAt(payload, 'media_buy_id');
    if (mediaBuyId === undefined) return unusable('it has no media_buy_id');
    const listed = (listAt(payload, 'affected_packages') ?? []).map((item, index) =>
      readCreatedPackage(item, form, `/affected_packages/${index}`, exact),
    );
    const setAside: readonly Finding[] = listed.flatMap((row) => (row.ok ? [] : [row.error]));
    const date = member(payload, 'implementation_date');
    const answer: UpdateMediaBuyAnswer = {
      mediaBuyId,
      affectedPackages: listed.filter((row) => row.ok).map((row) => row.value),
      ...defined({
        seller: sellerOf(payload),
        buyerRef: textAt(payload, 'buyer_ref'),
        status: statusOf(payload),
        revision: revisionAt(payload),
        currency: textAt(payload, 'currency'),
        totalBudget: priceAt(payload, 'total_budget', '', exact),
        invoiceRecipient: readRecipient(payload),
        implementationDate: date === null ? null : textAt(payload, 'implementation_date'),
        actions: readActions(payload),
      }),
      original: { form, value: payload },
    };
    return ok({ answer, setAside });
  },

  projectAnswer(answer, to) {
    return projectUpdateAnswer(answer, to.form);
  },
};

/**
 * The buy's new status, where the answer gives it. Without a `media_buy_status`, `completed` and `rejected` may be the
 * task's status, so they are not used (docs/protocol/requests-and-versions.md#status-words).
 */
function statusOf(payload: JsonObject): MediaBuyStatus | undefined {
  const named = readBuyStatus(payload['media_buy_status']);
  if (named !== undefined) return named;
  const word = readBuyStatus(payload['status']);
  return word === 'completed' || word === 'rejected' ? undefined : word;
}

function projectUpdateAnswer(answer: UpdateMediaBuyAnswer, to: Form): JsonObject {
  const { form, value } = answer.original;
  const isSameFamily = form === to || (is3x(form) && is3x(to));
  const base = isSameFamily ? without(value, [...envelopeMembers, 'valid_actions', 'available_actions']) : {};
  const word = answer.status === undefined || to === '2.5' ? undefined : buyStatusWord(answer.status, to);
  const has31 = to === '3.1' || to === 'service';
  const typed = defined({
    media_buy_id: answer.mediaBuyId,
    buyer_ref: is3x(to) ? undefined : (answer.buyerRef ?? (to === '2.5' ? answer.mediaBuyId : undefined)),
    media_buy_status: to === '3.1' ? word : undefined,
    status: to === '3.1' ? undefined : word,
    revision: to === '2.5' ? undefined : (answer.revision ?? (to === '3.1' ? 1 : undefined)),
    currency: has31 ? answer.currency : undefined,
    total_budget: has31 && answer.totalBudget !== undefined ? numberOf(answer.totalBudget) : undefined,
    invoice_recipient: is3x(to) ? answer.invoiceRecipient : undefined,
    implementation_date: answer.implementationDate,
  });
  const packages = answer.affectedPackages.map((affectedPackage) =>
    withReference(projectCreatedPackage(affectedPackage, to), to),
  );
  return markSeller(
    { ...base, ...(typed as JsonObject), affected_packages: packages, ...actionMembers(answer.actions, to) },
    answer.seller,
    to,
  );
}
