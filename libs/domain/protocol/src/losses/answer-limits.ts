import { coarseActions } from '../entities/media-buy/buy-actions.js';
import type { Form } from '../versions/wire-profile.js';
import { isAgentAbility, isCategory } from '../entities/format/format-members.js';
import { isPaidOtherwise } from '../entities/delivery/metrics.js';
import { hasPlaceIn } from '../entities/package/price-place.js';
import { isDay } from '../entities/delivery/slices.js';
import { isTaskArea, isTaskType } from '../entities/task/task-names.js';
import type { AvailableAction } from '../entities/media-buy/buy-actions.js';
import type { DeliverySlice, MediaBuyDelivery } from '../entities/delivery/delivery-report.js';
import type { PricingOption } from '../entities/product/pricing.js';
import type { TaskView } from '../entities/task/task-view.js';

/** A member of an answer that some forms do not have. */
export interface AnswerLimit {
  readonly forms: readonly Form[];
  /** Path in the internal shape: lists with `[]`, any member with `*`. */
  readonly at: string;
  /** Path in the message, with its wire names. */
  readonly as: string;
  /** True if this value of `owner` is lost. Absent: it is lost if the message lacks it. */
  readonly isLost?: (value: unknown, owner: Owner, answer: unknown, to: Form) => boolean;
}

type Owner = Readonly<Record<string, unknown>>;

/** A member that `forms` do not have. `as` is given where its name in the message does not follow from `at`. */
const limit = (
  forms: readonly Form[],
  at: string,
  more: Partial<Pick<AnswerLimit, 'as' | 'isLost'>> = {},
): AnswerLimit => ({ forms, at, as: wireName(at), ...more });

const every: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const older: readonly Form[] = ['service', '2.5'];
const modern: readonly Form[] = ['3.0', '3.1'];
const published: readonly Form[] = ['2.5', '3.0', '3.1'];
const before31: readonly Form[] = ['service', '2.5', '3.0'];

const always = (): boolean => true;
const oneOf =
  (...words: readonly unknown[]) =>
  (value: unknown): boolean =>
    words.includes(value);

/** Only 3.x has pages and incomplete results. */
const ofLists: readonly AnswerLimit[] = [
  limit(older, 'incomplete'),
  // 3.0 has no scope for a feed.
  limit(['3.0'], 'incomplete[].scope', { isLost: oneOf('wholesale_feed') }),
  limit(older, 'page', { as: 'pagination' }),
];

/** In 3.x the buyer's own reference is in the context, which is returned unchanged. */
const isNotInContext = (value: unknown, { context }: Owner): boolean =>
  typeof context !== 'object' || context === null || (context as Owner)['buyer_ref'] !== value;

const packagesOf = (at: string): readonly AnswerLimit[] => [
  limit(modern, `${at}[].buyerRef`, { isLost: isNotInContext }),
  limit(older, `${at}[].canceled`),
  // Members of a package that only 3.x or only 3.1 has.
  limit(before31, `${at}[].reportedTerms.*`, { as: `${wireName(at)}[].*` }),
  limit(['2.5'], `${at}[].creativeApprovals`),
];

const isFinerThan30 = (value: unknown): boolean => {
  const actions = value as readonly AvailableAction[];
  const coarse = coarseActions(actions);
  return actions.some(({ action, mode }, at) => mode !== 'self_serve' || coarse[at] !== action);
};

/** Actions on a buy: older forms have none, and 3.0 has neither modes nor the finer actions. */
const actionsOf = (at: string): readonly AnswerLimit[] => [
  limit(older, `${at}actions`, { as: `${wireName(at)}available_actions` }),
  limit(['3.0'], `${at}actions`, { as: `${wireName(at)}available_actions`, isLost: isFinerThan30 }),
];

/** In 3.1 an unconfirmed buy cannot be active. */
const isUnconfirmed = (value: unknown, { confirmedAt }: Owner): boolean =>
  value === 'active' && typeof confirmedAt !== 'string';

const buysOf = (at: string): readonly AnswerLimit[] => [
  limit(older, `${at}invoiceRecipient`),
  ...packagesOf(`${at}packages`),
  ...actionsOf(at),
  limit(modern, `${at}buyerRef`, { isLost: isNotInContext }),
  // Only 3.1 has `null` for "not confirmed yet".
  limit(before31, `${at}confirmedAt`, { isLost: oneOf(null) }),
];

/** The limits of each task: members of its answers that not every form has. */
export const answerLimits: Readonly<Record<string, readonly AnswerLimit[]>> = {
  get_ads_capabilities: [
    limit(['3.0'], 'protocols', {
      as: 'supported_protocols',
      // If it is the only protocol, it is written anyway.
      isLost: (value) => {
        const protocols = value as readonly string[];
        return protocols.includes('measurement') && protocols.some((protocol) => protocol !== 'measurement');
      },
    }),
    // 3.0 has no separate lists of protocol methods.
    limit(['3.0'], 'requestSigning.methodsRequiredFor', {
      as: 'request_signing.protocol_methods_required_for',
    }),
    limit(['3.0'], 'requestSigning.methodsSupportedFor', {
      as: 'request_signing.protocol_methods_supported_for',
    }),
    // A fault of a seller's webhooks is our own finding; no release has a member for it.
    limit(every, 'webhookFault', { as: 'webhook_signing', isLost: always }),
  ],
  get_products: [
    ...ofLists,
    limit(older, 'proposals'),
    limit(older, 'refinementApplied'),
    limit(older, 'propertyListApplied', { isLost: always }),
    // A price is lost if the release does not have its model, or it lacks the unit required there.
    limit(['2.5', '3.0', '3.1'], 'products[].pricingOptions', {
      isLost: (value, _owner, _answer, to) =>
        (value as readonly PricingOption[]).some((option) => !hasPlaceIn(option, to)),
    }),
    limit(['2.5'], 'products[].channels'),
  ],
  get_signals: ofLists,
  list_creative_formats: [
    limit(older, 'page', { as: 'pagination' }),
    limit(['2.5'], 'formats[].type', { isLost: (value) => !isCategory(String(value)) }),
    limit(published, 'creativeAgents[].capabilities', {
      isLost: (value, _owner, _answer, to) =>
        (value as readonly unknown[]).some((word) => !isAgentAbility(word, to)),
    }),
  ],
  sync_creatives: [
    limit(['2.5', '3.0'], 'creatives[].status', { isLost: always }),
    limit(['service'], 'creatives[].status', { isLost: oneOf('suspended') }),
    // Errors of an item are texts in 2.5: their other members are lost.
    limit(['2.5'], 'creatives[].errors', { isLost: always }),
  ],
  list_creatives: [
    limit(before31, 'creatives[].formatKind'),
    limit(before31, 'creatives[].status', { isLost: oneOf('suspended') }),
    limit(['2.5'], 'creatives[].status', { isLost: oneOf('archived') }),
    limit(before31, 'statusSummary', {
      // They are counted under the status that their rows have.
      isLost: (value, _owner, _answer, to) =>
        Object.keys(value as object).some(
          (word) => word === 'suspended' || (word === 'archived' && to === '2.5'),
        ),
    }),
  ],
  create_media_buy: [
    ...buysOf(''),
    limit(['service'], 'status', { isLost: oneOf('pending_creatives') }),
    // There a reader may take it for the task's status.
    limit(['service', '3.0'], 'status', { isLost: oneOf('completed') }),
    // A reader takes a buy without a status for one that has not started.
    limit(['2.5'], 'status', { isLost: (value) => value !== 'pending_start' }),
    limit(['3.1'], 'status', { as: 'media_buy_status', isLost: isUnconfirmed }),
    limit(['2.5', '3.0'], 'currency'),
    limit(['2.5', '3.0'], 'totalBudget'),
  ],
  update_media_buy: [
    limit(older, 'invoiceRecipient'),
    ...packagesOf('affectedPackages'),
    ...actionsOf(''),
    limit(modern, 'buyerRef'),
    limit(['service'], 'status', { isLost: oneOf('pending_creatives') }),
    limit(['service', '3.0'], 'status', { isLost: oneOf('completed', 'rejected') }),
    limit(['2.5'], 'status'),
    limit(['2.5'], 'revision'),
    limit(['2.5', '3.0'], 'currency'),
    limit(['2.5', '3.0'], 'totalBudget'),
  ],
  get_media_buys: [
    ...buysOf('mediaBuys[].'),
    limit(older, 'mediaBuys[].status', { isLost: oneOf('pending_creatives') }),
    limit(['2.5'], 'mediaBuys[].status', { isLost: oneOf('rejected', 'canceled') }),
    limit(['3.1'], 'mediaBuys[].status', {
      isLost: (value, owner) =>
        isUnconfirmed(value, owner) && (owner['confirmedAt'] === null || owner['statusAsOf'] === undefined),
    }),
    limit(['2.5', '3.0'], 'mediaBuys[].statusAsOf'),
    limit(['2.5', '3.0'], 'mediaBuys[].impairments'),
    limit(modern, 'mediaBuys[].startTime', { isLost: oneOf('asap') }),
    limit(older, 'mediaBuys[].createdAt'),
    limit(older, 'mediaBuys[].updatedAt'),
    limit(older, 'mediaBuys[].history'),
    limit(older, 'mediaBuys[].cancellation'),
  ],
  get_media_buy_delivery: [
    limit(older, 'attributionWindow'),
    limit(['2.5'], 'notificationType', { isLost: oneOf('window_update') }),
    limit(modern, 'deliveries[].buyerRef'),
    limit(modern, 'deliveries[].byPackage[].buyerRef'),
    limit(['2.5', '3.0'], 'deliveries[].isFinal', {
      // `false` is the default of a row.
      isLost: oneOf(true, false),
    }),
    limit(['2.5', '3.0'], 'deliveries[].finalizedAt'),
    limit(['2.5'], 'deliveries[].pricingModel', { isLost: isPaidOtherwise }),
    limit(['2.5', '3.0'], 'deliveries[].slices', {
      as: 'media_buy_deliveries[].windows',
      isLost: (value) => (value as readonly DeliverySlice[]).some((slice) => !isDay(slice)),
    }),
    limit(every, 'deliveries[].status', {
      // A row requires figures, so the status of a row without them says that, whatever the buy's status is.
      isLost: (value, owner, _answer, to) =>
        isStatusCoarse(String(value), to) || isHiddenByDelay(String(value), owner),
    }),
  ],
  activate_signal: [],
  get_task: [
    ...shownTask(''),
    limit(every, 'error', {
      as: 'error.details',
      // A task's error is a code and a message; all its members are in the result, if the task has one.
      isLost: (value, _owner, answer) =>
        Object.keys(value as object).some((name) => name !== 'code' && name !== 'message') &&
        (answer as TaskView).result?.['errors'] === undefined,
    }),
  ],
  list_tasks: [
    typeOf('tasks[].taskType', 'tasks[].task_type'),
    ...areaOf('tasks[].protocol', 'tasks[].domain', published, true),
  ],
  cancel_task: shownTask('task.'),
  list_authorized_properties: [],
  list_accounts: [],
  sync_accounts: [],
  provide_performance_feedback: [],
  report_usage: [],
};

/** Releases define closed lists of task types and protocols. */
function shownTask(place: string): readonly AnswerLimit[] {
  return [
    typeOf(`${place}taskType`, 'task_type'),
    ...areaOf(`${place}protocol`, 'protocol', modern, false),
    ...areaOf(`${place}protocol`, 'domain', ['2.5'], false),
  ];
}

function typeOf(at: string, as: string): AnswerLimit {
  return limit(published, at, { as, isLost: (value, _owner, _answer, to) => !isTaskType(value, to) });
}

function areaOf(at: string, as: string, forms: readonly Form[], isListed: boolean): readonly AnswerLimit[] {
  return [limit(forms, at, { as, isLost: (value, _owner, _answer, to) => !isTaskArea(value, to, isListed) })];
}

function isStatusCoarse(word: string, to: Form): boolean {
  if (to === '2.5') return ['pending_creatives', 'pending_start', 'rejected', 'canceled'].includes(word);
  return to === 'service' && (word === 'pending_creatives' || word === 'pending_start');
}

function isHiddenByDelay(word: string, { totalsMissing }: Partial<MediaBuyDelivery>): boolean {
  return totalsMissing === true && word !== 'reporting_delayed' && word !== 'failed';
}

/** The wire name of a path in the internal shape: rows of a delivery report have another name there. */
function wireName(at: string): string {
  return at
    .replace(/^deliveries/, 'media_buy_deliveries')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
