import { canonicalJson, type JsonObject } from '@switchyard/values';
import { budgetMicros } from '../model/terms/budget-micros.js';
import { storedTargeting } from '../model/stored-targeting.js';
import { heldBudget, termsShown } from '../model/terms/kept-terms.js';
import type { NamedUpdate } from '../model/name-package.js';
import type { MediaBuy } from '../model/operation.js';
import type { WholeBuy } from './part-of-update.js';

/** One thing that a change does to a seller's part, in the verbs of release 3.1. */
export interface RequestedAction {
  readonly action: string;
  /** Verbs that cover it too, where the one that names it best is not offered; each of a group is needed. */
  readonly orElse: readonly (readonly string[])[];
  /** Path of the member that asks for it. */
  readonly field: string;
  /** True where it stands below `packages`, which the old verb `update_packages` covers whole. */
  readonly isOfPackage: boolean;
}

/** What is asked of one seller's part, and what it is held against. */
export interface PartRequest {
  readonly whole: WholeBuy;
  /** With the place that each has in the buyer's list. */
  readonly updates: readonly (NamedUpdate & { readonly at: number })[];
  /** Places of packages to add. */
  readonly added: readonly number[];
}

type Flight = Pick<MediaBuy, 'startTime' | 'endTime'>;

/**
 * Names what a change does to a seller's part, as the releases bind their verbs to members of the request
 * (docs/protocol/media-buys.md#actions). Which way a budget or an end moves is told by what it is now; what stays as it
 * is, is no change. A cancellation of the whole wins over everything else. Members that no verb stands for, such as a
 * bid, are the seller's to judge.
 */
export function requestedActions(
  { whole, updates, added }: PartRequest,
  buy: Flight,
): readonly RequestedAction[] {
  if (whole.canceled === true) return [asked('cancel', 'canceled')];
  return [
    ...(whole.paused === undefined ? [] : [asked(whole.paused ? 'pause' : 'resume', 'paused')]),
    ...flightActions(whole, buy, ''),
    ...budgetActions(updates),
    ...updates.flatMap((one) => packageActions(one, buy)),
    ...added.map((at) => asked('add_packages', `new_packages[${at}]`)),
  ];
}

function flightActions(wish: Partial<Flight>, now: Flight, path: string): readonly RequestedAction[] {
  const { startTime, endTime } = wish;
  if (startTime !== undefined && !isSame(startTime, now.startTime))
    return [asked('update_flight_dates', `${path}start_time`)];
  if (endTime === undefined || isSame(endTime, now.endTime)) return [];
  const action = Date.parse(endTime) > Date.parse(now.endTime) ? 'extend_flight' : 'shorten_flight';
  return [asked(action, `${path}end_time`, [['update_flight_dates']])];
}

/** Up and down by the same sum is money moved between packages: that has a verb of its own beside the two. */
function budgetActions(updates: PartRequest['updates']): readonly RequestedAction[] {
  const moved = updates.flatMap(({ item, update, at }) => {
    if (update.budget === undefined || update.canceled === true) return [];
    const by = budgetMicros(update.budget, item.currency) - heldBudget(item);
    return by === 0n ? [] : [{ by, field: `packages[${at}].budget` }];
  });
  const [first] = moved;
  if (first === undefined) return [];
  if (moved.reduce((sum, { by }) => sum + by, 0n) === 0n)
    return [ofPackage('reallocate_budget', first.field, [['increase_budget', 'decrease_budget']])];
  return moved.map(({ by, field }) => ofPackage(by > 0n ? 'increase_budget' : 'decrease_budget', field));
}

function packageActions(
  { item, update, at }: PartRequest['updates'][number],
  buy: Flight,
): readonly RequestedAction[] {
  const path = `packages[${at}].`;
  if (update.canceled === true) return [ofPackage('remove_packages', `${path}canceled`)];
  const { creativeAssignments, creatives, pacing } = update;
  return [
    ...flightActions(update, flightOfPackage(item, buy), path).map((one) => ({ ...one, isOfPackage: true })),
    ...targetingActions(update.targetingOverlay, item.targeting, `${path}targeting_overlay`),
    ...keywordMembers
      .filter((name) => update.original.value[name] !== undefined)
      .map((name) => ofPackage('update_targeting', `${path}${name}`)),
    ...(pacing === undefined ? [] : [ofPackage('update_pacing', `${path}pacing`)]),
    ...(creativeAssignments === undefined
      ? []
      : [ofPackage('update_creative_assignments', `${path}creative_assignments`, [['remove_creative']])]),
    ...(creatives === undefined
      ? []
      : [ofPackage('replace_creative', `${path}creatives`, [['remove_creative']])]),
  ];
}

/** When a package runs now: on dates of its own, or with its seller's part. */
function flightOfPackage(item: PartRequest['updates'][number]['item'], buy: Flight): Flight {
  const { start_time: start, end_time: end } = termsShown(item).holding;
  return {
    startTime: typeof start === 'string' ? start : buy.startTime,
    endTime: typeof end === 'string' ? end : buy.endTime,
  };
}

const keywordMembers = [
  'keyword_targets_add',
  'keyword_targets_remove',
  'negative_keywords_add',
  'negative_keywords_remove',
];

/** The overlay is replaced whole, so what is no longer in it has changed too. How often somebody is reached is apart. */
function targetingActions(
  wanted: JsonObject | undefined,
  known: JsonObject | undefined,
  field: string,
): readonly RequestedAction[] {
  if (wanted === undefined) return [];
  const [next, now] = [storedTargeting(wanted), known ?? {}];
  const changed = [...new Set([...Object.keys(next), ...Object.keys(now)])].filter(
    (name) => canonicalJson(next[name] ?? null) !== canonicalJson(now[name] ?? null),
  );
  const isCapped = changed.includes('frequency_cap');
  const isAimed = changed.some((name) => name !== 'frequency_cap');
  return [
    ...(isAimed ? [ofPackage('update_targeting', field)] : []),
    ...(isCapped ? [ofPackage('update_frequency_caps', `${field}.frequency_cap`)] : []),
  ];
}

function isSame(wanted: string, now: string): boolean {
  return wanted === now || Date.parse(wanted) === Date.parse(now);
}

function asked(action: string, field: string, orElse: RequestedAction['orElse'] = []): RequestedAction {
  return { action, field, orElse, isOfPackage: false };
}

function ofPackage(action: string, field: string, orElse: RequestedAction['orElse'] = []): RequestedAction {
  return { action, field, orElse, isOfPackage: true };
}
