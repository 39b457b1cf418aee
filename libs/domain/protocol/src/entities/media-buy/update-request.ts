import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { UpdateMediaBuyRequest } from './update-media-buy.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';
import { amountAt, amountFaults } from '../../message/amount.js';
import { recipientShape, startObject, sameReferences } from './buy-request.js';
import { readExtras, readPush, readReportingWebhook } from '../../message/extras.js';
import { is3x } from '../../message/form.js';
import { packageUpdateShape, readPackageUpdate } from '../package/package-update.js';
import { packageShape, readPackage, targetingOf } from '../package/package-request.js';
import { booleanAt, member, objectAt, objectsAt, textAt } from '../../message/pick.js';
import { keyFaults, required } from '../../message/require.js';
import { duplicateMemberFaults } from './duplicate-members.js';
import { readMoment, readSchedule } from './schedule.js';
import { anyObject, extras, idText, pushShape, reportingShape } from '../../message/shapes.js';

/** Members at the top level in the schema forms, and inside `updates` in the `service` form. */
const changes = {
  paused: z.boolean().optional(),
  canceled: z.literal(true).optional().describe('Irreversible.'),
  cancellation_reason: z.string().max(500).optional(),
  start_time: z.union([z.string().max(64), startObject]).optional(),
  end_time: z.string().max(64).optional(),
  packages: z.array(packageUpdateShape).max(500).optional(),
  new_packages: z.array(packageShape).max(500).optional(),
  invoice_recipient: recipientShape.optional(),
  reporting_webhook: reportingShape.optional(),
};

const budgetChange = z.looseObject({
  absolute: z.number().optional().describe('The new budget of the whole buy.'),
  difference: z
    .number()
    .optional()
    .describe('The amount that is added to the budget of the whole buy; below zero, taken from it.'),
});

/** A change of a buy: the union of what the forms send. */
export const updateShape = z.looseObject({
  ...extras,
  ...changes,
  media_buy_id: idText.optional(),
  buyer_ref: idText.optional(),
  revision: z.int().min(1).optional().describe('The revision that was read; another one is a conflict.'),
  updates: z
    .looseObject({
      ...changes,
      status: idText.optional(),
      budget: z.number().optional(),
      budget_change: z.union([z.number(), budgetChange]).optional(),
      targeting: anyObject.optional(),
      targeting_overlay: anyObject.optional(),
      push_notification_config: pushShape.optional(),
    })
    .optional(),
});

/** Location of a member, for its field and its JSON pointer. */
interface Place {
  readonly field: (name: string) => string;
  readonly pointer: string;
}

/** Reads a request whose shape was validated. Members of `updates` and of the top level mean the same. */
export function readUpdate(
  args: JsonObject,
  { form }: WireProfile,
  exact: ExactNumbers,
): Result<UpdateMediaBuyRequest, readonly TaskError[]> {
  const wrapper = objectAt(args, 'updates');
  const { updates: _read, ...top } = args;
  const all: JsonObject = { ...top, ...wrapper };
  const place = (name: string): Place =>
    wrapper !== undefined && member(wrapper, name) !== undefined
      ? { field: (inner) => `updates.${inner}`, pointer: '/updates' }
      : { field: (inner) => inner, pointer: '' };
  const packages = objectsAt(all, 'packages').map((item, at) => {
    const { field, pointer } = place('packages');
    return readPackageUpdate(
      item,
      { field: field(`packages[${at}]`), pointer: `${pointer}/packages/${at}` },
      form,
      exact,
    );
  });
  const added = objectsAt(all, 'new_packages').map((item, at) => {
    const { field, pointer } = place('new_packages');
    return readPackage(
      item,
      { field: field(`new_packages[${at}]`), pointer: `${pointer}/new_packages/${at}` },
      form,
      exact,
    );
  });
  const status = readStatus(all, place('status'));
  const budget = readBudget(all, place, exact);
  const times = readTimes(all, place);
  const errors = [
    ...nameFaults(args, form),
    ...keyFaults(args, form),
    ...duplicateMemberFaults(args),
    ...misplacedChanges(args, form),
    ...sameReferences(objectsAt(all, 'new_packages'), place('new_packages').field('new_packages'), form),
    ...[...packages, ...added, status, budget, times].flatMap((read) => (read.ok ? [] : read.error)),
  ];
  if (errors.length > 0 || !status.ok || !budget.ok || !times.ok) return err(errors);
  return ok({
    ...readExtras(args),
    ...times.value,
    ...status.value,
    packages: packages.filter((item) => item.ok).map((item) => item.value),
    newPackages: added.filter((read) => read.ok).map((read) => read.value),
    ...defined({
      push: readPush(objectAt(all, 'push_notification_config')),
      mediaBuyId: textAt(args, 'media_buy_id'),
      buyerRef: is3x(form) ? undefined : textAt(args, 'buyer_ref'),
      revision: typeof args['revision'] === 'number' ? args['revision'] : undefined,
      cancellationReason: textAt(all, 'cancellation_reason'),
      ...budget.value,
      targetingOverlay: targetingOf(all) ?? targetingOf({ targeting_overlay: all['targeting'] ?? null }),
      invoiceRecipient: objectAt(all, 'invoice_recipient'),
      reportingWebhook: readReportingWebhook(objectAt(all, 'reporting_webhook')),
    }),
    original: { form, value: args },
  });
}

/** The request names the buy by our id; in 2.5 by the id or the reference, never both. */
function nameFaults(args: JsonObject, form: Form): readonly TaskError[] {
  const hasId = textAt(args, 'media_buy_id') !== undefined;
  const hasReference = !is3x(form) && textAt(args, 'buyer_ref') !== undefined;
  if (hasId && hasReference && form === '2.5') {
    const suggestion = 'Send exactly one of media_buy_id and buyer_ref.';
    return [taskError('VALIDATION_ERROR', 'The buy is named twice.', { field: 'buyer_ref', suggestion })];
  }
  return hasId || hasReference ? [] : [required('media_buy_id', 'Send the id as create_media_buy gave it.')];
}

type RequestedStatus = Pick<UpdateMediaBuyRequest, 'paused' | 'canceled'>;

/** `status` of the `service` form beside `paused` and `canceled` of the schemas. */
function readStatus(all: JsonObject, place: Place): Result<RequestedStatus, readonly TaskError[]> {
  const flags: RequestedStatus = defined({
    paused: booleanAt(all, 'paused'),
    canceled: booleanAt(all, 'canceled') === true ? (true as const) : undefined,
  });
  const word = place.pointer === '' ? undefined : textAt(all, 'status');
  switch (word) {
    case undefined:
      return ok(flags);
    case 'paused':
      return ok({ ...flags, paused: true });
    case 'active':
      return ok({ ...flags, paused: false });
    case 'canceled':
      return ok({ ...flags, canceled: true });
    default:
      return err([
        taskError('INVALID_REQUEST', 'A buy can be set to active, paused or canceled.', {
          field: place.field('status'),
          suggestion: 'Send one of active, paused, canceled.',
        }),
      ]);
  }
}

/**
 * A new budget of the whole buy, or the difference to it. The `service` form does not define which of the two a number in
 * `budget_change` is, so the request says `absolute` or `difference`.
 */
function readBudget(
  all: JsonObject,
  place: (name: string) => Place,
  exact: ExactNumbers,
): Result<Pick<UpdateMediaBuyRequest, 'budget' | 'budgetDifference'>, readonly TaskError[]> {
  const change: JsonValue | undefined = member(all, 'budget_change');
  const { field, pointer } = place('budget_change');
  if (change === undefined) {
    const buyBudget = place('budget');
    const budget = buyBudget.pointer === '' ? undefined : amountAt(all, 'budget', buyBudget.pointer, exact);
    const faults = budget === undefined ? [] : amountFaults(budget, buyBudget.field('budget'), 'The budget');
    return faults.length > 0 ? err(faults) : ok(defined({ budget }));
  }
  const amount = (name: string): string | undefined =>
    isJsonObject(change) ? amountAt(change, name, `${pointer}/budget_change`, exact) : undefined;
  const [absolute, difference] = [amount('absolute'), amount('difference')];
  if ((absolute === undefined) === (difference === undefined)) {
    return err([
      taskError('INVALID_REQUEST', 'budget_change does not say whether it is a new budget or a difference.', {
        field: field('budget_change'),
        suggestion:
          'Send {"absolute": AMOUNT}, {"difference": AMOUNT}, or the new budget of each package under packages.',
      }),
    ]);
  }
  if (absolute === undefined) {
    // Sent again without a key, a difference would count twice.
    return textAt(all, 'idempotency_key') === undefined
      ? err([required('idempotency_key', 'Send a key beside a difference, or send the new budget.')])
      : ok(defined({ budgetDifference: difference }));
  }
  const faults = amountFaults(absolute, field('budget_change.absolute'), 'The budget');
  return faults.length > 0 ? err(faults) : ok({ budget: absolute });
}

function readTimes(
  all: JsonObject,
  place: (name: string) => Place,
): Result<Pick<UpdateMediaBuyRequest, 'startTime' | 'endTime'>, readonly TaskError[]> {
  const [start, end] = [member(all, 'start_time'), textAt(all, 'end_time')];
  const endTime = end === undefined ? undefined : readMoment(end);
  const errors: TaskError[] = [];
  if (end !== undefined && endTime === undefined) errors.push(notATime(place('end_time').field('end_time')));
  // Without an end there is nothing to compare the start with: a time in the far future is used.
  const schedule = start === undefined ? undefined : readSchedule(start, endTime ?? '9999-12-31T00:00:00Z');
  if (schedule?.ok === false) errors.push(...schedule.error);
  if (errors.length > 0) return err(errors);
  return ok(defined({ startTime: schedule?.ok === true ? schedule.value.start : undefined, endTime }));
}

function notATime(field: string): TaskError {
  return taskError('VALIDATION_ERROR', 'end_time is not a time that this task understands.', {
    field,
    suggestion: 'Send an RFC 3339 date and time with its offset.',
  });
}

/** Members that the `service` form has inside `updates` only, and the schemas' equivalents. */
const instead: Readonly<Record<string, string>> = {
  status: 'paused or canceled',
  budget: 'the budget of each package, in packages',
  budget_change: 'the budget of each package, in packages',
  targeting: 'the targeting_overlay of each package, in packages',
  targeting_overlay: 'the targeting_overlay of each package, in packages',
};

/**
 * Errors for changes in a place that the form does not read: without them the request would succeed and change nothing.
 */
function misplacedChanges(args: JsonObject, form: Form): readonly TaskError[] {
  const wrapper = isJsonObject(args['updates']) ? args['updates'] : {};
  return Object.entries(instead)
    .filter(([name]) => member(args, name) !== undefined && member(wrapper, name) === undefined)
    .map(([name, advice]) =>
      taskError('INVALID_REQUEST', `A change of a buy has no ${name} here.`, {
        field: name,
        suggestion: is3x(form) || form === '2.5' ? `Send ${advice}.` : `Send it in updates, or ${advice}.`,
      }),
    );
}
