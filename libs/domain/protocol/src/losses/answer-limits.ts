import { coarseActions } from '../entities/media-buy/buy-actions.js';
import type { Form } from '../versions/wire-profile.js';
import { isAgentAbility, isCategory } from '../entities/format/format-members.js';
import { isPaidOtherwise } from '../entities/delivery/metrics.js';
import { hasPlaceIn } from '../entities/package/price-place.js';
import { isDay } from '../entities/delivery/slices.js';
import { isTaskArea, isTaskType } from '../entities/task/task-words.js';
import type { AvailableAction } from '../entities/media-buy/available-action.js';
import type { DeliverySlice, MediaBuyDelivery } from '../entities/delivery/delivery-report.js';
import type { PricingOption } from '../entities/product/pricing-option.js';
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
  { forms: older, at: 'incomplete', as: 'incomplete' },
  // 3.0 has no scope for a feed.
  { forms: ['3.0'], at: 'incomplete[].scope', as: 'incomplete[].scope', isLost: oneOf('wholesale_feed') },
  { forms: older, at: 'page', as: 'pagination' },
];

/** In 3.x the buyer's own reference is in the context, which is returned unchanged. */
const isNotInContext = (value: unknown, { context }: Owner): boolean =>
  typeof context !== 'object' || context === null || (context as Owner)['buyer_ref'] !== value;

const packagesOf = (at: string, as: string): readonly AnswerLimit[] => [
  { forms: modern, at: `${at}[].buyerRef`, as: `${as}[].buyer_ref`, isLost: isNotInContext },
  { forms: older, at: `${at}[].canceled`, as: `${as}[].canceled` },
  // Members of a package that only 3.x or only 3.1 has.
  { forms: before31, at: `${at}[].told.*`, as: `${as}[].*` },
  { forms: ['2.5'], at: `${at}[].creativeApprovals`, as: `${as}[].creative_approvals` },
];

const isFinerThan30 = (value: unknown): boolean => {
  const actions = value as readonly AvailableAction[];
  const coarse = coarseActions(actions);
  return actions.some(({ action, mode }, at) => mode !== 'self_serve' || coarse[at] !== action);
};

/** Actions on a buy: older forms have none, and 3.0 has neither modes nor the finer actions. */
const actionsOf = (at: string, as: string): readonly AnswerLimit[] => [
  { forms: older, at: `${at}actions`, as: `${as}available_actions` },
  { forms: ['3.0'], at: `${at}actions`, as: `${as}available_actions`, isLost: isFinerThan30 },
];

/** In 3.1 an unconfirmed buy cannot be active. */
const isUnconfirmed = (value: unknown, { confirmedAt }: Owner): boolean =>
  value === 'active' && typeof confirmedAt !== 'string';

const buysOf = (at: string, as: string): readonly AnswerLimit[] => [
  { forms: older, at: `${at}invoiceRecipient`, as: `${as}invoice_recipient` },
  ...packagesOf(`${at}packages`, `${as}packages`),
  ...actionsOf(at, as),
  { forms: modern, at: `${at}buyerRef`, as: `${as}buyer_ref`, isLost: isNotInContext },
  // Only 3.1 has `null` for "not confirmed yet".
  { forms: before31, at: `${at}confirmedAt`, as: `${as}confirmed_at`, isLost: oneOf(null) },
];

/** Releases define closed lists of task types and protocols. */
function shownTask(place: string): readonly AnswerLimit[] {
  return [
    typeOf(`${place}taskType`, 'task_type'),
    ...areaOf(`${place}protocol`, 'protocol', modern, false),
    ...areaOf(`${place}protocol`, 'domain', ['2.5'], false),
  ];
}

function typeOf(at: string, as: string): AnswerLimit {
  return { forms: published, at, as, isLost: (value, _owner, _answer, to) => !isTaskType(value, to) };
}

function areaOf(at: string, as: string, forms: readonly Form[], isListed: boolean): readonly AnswerLimit[] {
  return [{ forms, at, as, isLost: (value, _owner, _answer, to) => !isTaskArea(value, to, isListed) }];
}

/** The limits of each task: members of its answers that not every form has. */
export const answerLimits: Readonly<Record<string, readonly AnswerLimit[]>> = {
  get_ads_capabilities: [
    {
      forms: ['3.0'],
      at: 'protocols',
      as: 'supported_protocols',
      // If it is the only protocol, it is written anyway.
      isLost: (value) => {
        const protocols = value as readonly string[];
        return protocols.includes('measurement') && protocols.some((one) => one !== 'measurement');
      },
    },
    // 3.0 has no separate lists of protocol methods.
    {
      forms: ['3.0'],
      at: 'requestSigning.methodsRequiredFor',
      as: 'request_signing.protocol_methods_required_for',
    },
    {
      forms: ['3.0'],
      at: 'requestSigning.methodsSupportedFor',
      as: 'request_signing.protocol_methods_supported_for',
    },
    // A fault of a seller's webhooks is our own finding; no release has a member for it.
    { forms: every, at: 'webhookFault', as: 'webhook_signing', isLost: always },
  ],
  get_products: [
    ...ofLists,
    { forms: older, at: 'proposals', as: 'proposals' },
    { forms: older, at: 'refinementApplied', as: 'refinement_applied' },
    { forms: older, at: 'propertyListApplied', as: 'property_list_applied', isLost: always },
    // A price is lost if the release does not have its model, or it lacks the unit required there.
    {
      forms: ['2.5', '3.0', '3.1'],
      at: 'products[].pricingOptions',
      as: 'products[].pricing_options',
      isLost: (value, _owner, _answer, to) =>
        (value as readonly PricingOption[]).some((option) => !hasPlaceIn(option, to)),
    },
    { forms: ['2.5'], at: 'products[].channels', as: 'products[].channels' },
  ],
  get_signals: ofLists,
  list_creative_formats: [
    { forms: older, at: 'page', as: 'pagination' },
    {
      forms: ['2.5'],
      at: 'formats[].type',
      as: 'formats[].type',
      isLost: (value) => !isCategory(String(value)),
    },
    {
      forms: published,
      at: 'creativeAgents[].capabilities',
      as: 'creative_agents[].capabilities',
      isLost: (value, _owner, _answer, to) =>
        (value as readonly unknown[]).some((word) => !isAgentAbility(word, to)),
    },
  ],
  sync_creatives: [
    { forms: ['2.5', '3.0'], at: 'creatives[].status', as: 'creatives[].status', isLost: always },
    { forms: ['service'], at: 'creatives[].status', as: 'creatives[].status', isLost: oneOf('suspended') },
    // Errors of an item are texts in 2.5: their other members are lost.
    { forms: ['2.5'], at: 'creatives[].errors', as: 'creatives[].errors', isLost: always },
  ],
  list_creatives: [
    { forms: before31, at: 'creatives[].formatKind', as: 'creatives[].format_kind' },
    { forms: before31, at: 'creatives[].status', as: 'creatives[].status', isLost: oneOf('suspended') },
    { forms: ['2.5'], at: 'creatives[].status', as: 'creatives[].status', isLost: oneOf('archived') },
    {
      forms: before31,
      at: 'statusSummary',
      as: 'status_summary',
      // They are counted under the status that their rows have.
      isLost: (value, _owner, _answer, to) =>
        Object.keys(value as object).some(
          (word) => word === 'suspended' || (word === 'archived' && to === '2.5'),
        ),
    },
  ],
  create_media_buy: [
    ...buysOf('', ''),
    { forms: ['service'], at: 'status', as: 'status', isLost: oneOf('pending_creatives') },
    // There a reader may take it for the task's status.
    { forms: ['service', '3.0'], at: 'status', as: 'status', isLost: oneOf('completed') },
    // A reader takes a buy without a status for one that has not started.
    { forms: ['2.5'], at: 'status', as: 'status', isLost: (value) => value !== 'pending_start' },
    { forms: ['3.1'], at: 'status', as: 'media_buy_status', isLost: isUnconfirmed },
    { forms: ['2.5', '3.0'], at: 'currency', as: 'currency' },
    { forms: ['2.5', '3.0'], at: 'totalBudget', as: 'total_budget' },
  ],
  update_media_buy: [
    { forms: older, at: 'invoiceRecipient', as: 'invoice_recipient' },
    ...packagesOf('affectedPackages', 'affected_packages'),
    ...actionsOf('', ''),
    { forms: modern, at: 'buyerRef', as: 'buyer_ref' },
    { forms: ['service'], at: 'status', as: 'status', isLost: oneOf('pending_creatives') },
    { forms: ['service', '3.0'], at: 'status', as: 'status', isLost: oneOf('completed', 'rejected') },
    { forms: ['2.5'], at: 'status', as: 'status' },
    { forms: ['2.5'], at: 'revision', as: 'revision' },
    { forms: ['2.5', '3.0'], at: 'currency', as: 'currency' },
    { forms: ['2.5', '3.0'], at: 'totalBudget', as: 'total_budget' },
  ],
  get_media_buys: [
    ...buysOf('mediaBuys[].', 'media_buys[].'),
    {
      forms: older,
      at: 'mediaBuys[].status',
      as: 'media_buys[].status',
      isLost: oneOf('pending_creatives'),
    },
    {
      forms: ['2.5'],
      at: 'mediaBuys[].status',
      as: 'media_buys[].status',
      isLost: oneOf('rejected', 'canceled'),
    },
    {
      forms: ['3.1'],
      at: 'mediaBuys[].status',
      as: 'media_buys[].status',
      isLost: (value, owner) =>
        isUnconfirmed(value, owner) && (owner['confirmedAt'] === null || owner['statusAsOf'] === undefined),
    },
    { forms: ['2.5', '3.0'], at: 'mediaBuys[].statusAsOf', as: 'media_buys[].status_as_of' },
    { forms: ['2.5', '3.0'], at: 'mediaBuys[].impairments', as: 'media_buys[].impairments' },
    { forms: modern, at: 'mediaBuys[].startTime', as: 'media_buys[].start_time', isLost: oneOf('asap') },
    { forms: older, at: 'mediaBuys[].createdAt', as: 'media_buys[].created_at' },
    { forms: older, at: 'mediaBuys[].updatedAt', as: 'media_buys[].updated_at' },
    { forms: older, at: 'mediaBuys[].history', as: 'media_buys[].history' },
    { forms: older, at: 'mediaBuys[].cancellation', as: 'media_buys[].cancellation' },
  ],
  get_media_buy_delivery: [
    { forms: older, at: 'attributionWindow', as: 'attribution_window' },
    { forms: ['2.5'], at: 'notificationType', as: 'notification_type', isLost: oneOf('window_update') },
    { forms: modern, at: 'deliveries[].buyerRef', as: 'media_buy_deliveries[].buyer_ref' },
    {
      forms: modern,
      at: 'deliveries[].byPackage[].buyerRef',
      as: 'media_buy_deliveries[].by_package[].buyer_ref',
    },
    {
      forms: ['2.5', '3.0'],
      at: 'deliveries[].isFinal',
      as: 'media_buy_deliveries[].is_final',
      // `false` is the default of a row.
      isLost: oneOf(true, false),
    },
    { forms: ['2.5', '3.0'], at: 'deliveries[].finalizedAt', as: 'media_buy_deliveries[].finalized_at' },
    {
      forms: ['2.5'],
      at: 'deliveries[].pricingModel',
      as: 'media_buy_deliveries[].pricing_model',
      isLost: isPaidOtherwise,
    },
    {
      forms: ['2.5', '3.0'],
      at: 'deliveries[].slices',
      as: 'media_buy_deliveries[].windows',
      isLost: (value) => (value as readonly DeliverySlice[]).some((slice) => !isDay(slice)),
    },
    {
      forms: every,
      at: 'deliveries[].status',
      as: 'media_buy_deliveries[].status',
      // A row requires figures, so the status of a row without them says that, whatever the buy's status is.
      isLost: (value, owner, _answer, to) =>
        isStatusCoarse(String(value), to) || isHiddenByDelay(String(value), owner),
    },
  ],
  activate_signal: [],
  get_task: [
    ...shownTask(''),
    {
      forms: every,
      at: 'error',
      as: 'error.details',
      // A task's error is a code and a message; all its members are in the result, if the task has one.
      isLost: (value, _owner, answer) =>
        Object.keys(value as object).some((name) => name !== 'code' && name !== 'message') &&
        (answer as TaskView).result?.['errors'] === undefined,
    },
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

function isStatusCoarse(word: string, to: Form): boolean {
  if (to === '2.5') return ['pending_creatives', 'pending_start', 'rejected', 'canceled'].includes(word);
  return to === 'service' && (word === 'pending_creatives' || word === 'pending_start');
}

function isHiddenByDelay(word: string, { totalsMissing }: Partial<MediaBuyDelivery>): boolean {
  return totalsMissing === true && word !== 'reporting_delayed' && word !== 'failed';
}
