import { canonicalJson, type JsonObject } from '@switchyard/values';
import { budgetMicros } from '../terms/quoted-terms.js';
import { storedTargeting } from '../model/stored-targeting.js';
import { budgetAtSeller, termsShown } from '../terms/stored-terms.js';
import type { NamedUpdate } from '../plan/name-package.js';
import type { MediaBuy } from '../model/operation.js';
import type { WholeBuy } from './part-of-update.js';

/** One action of a change on a seller's part, by the names of release 3.1. */
interface RequestedAction {
  readonly action: string;
  /** Groups of other actions that also cover it. Of a group, every action is needed. */
  readonly orElse: readonly (readonly string[])[];
  /** Path of the member that requests it. */
  readonly field: string;
  /** True below `packages`, which the older action `update_packages` covers as a whole. */
  readonly isOfPackage: boolean;
}

/** The request for one seller's part. */
export interface PartRequest {
  readonly whole: WholeBuy;
  /** With the position of each in the buyer's list. */
  readonly updates: readonly (NamedUpdate & { readonly at: number })[];
  /** Positions of packages to add. */
  readonly added: readonly number[];
}

type Flight = Pick<MediaBuy, 'startTime' | 'endTime'>;

/**
 * Returns the actions of a change on a seller's part. The releases assign actions to members of the request
 * (docs/protocol/media-buys.md#actions). The current value decides the direction of a new budget or end; an
 * equal value is no change. A cancellation of the whole overrides everything else. Members without an action,
 * such as a bid, are checked by the seller.
 */
export function requestedActions(
  { whole, updates, added }: PartRequest,
  buy: Flight,
): readonly RequestedAction[] {
  if (whole.canceled === true) return [requestedAction('cancel', 'canceled')];
  return [
    ...(whole.paused === undefined ? [] : [requestedAction(whole.paused ? 'pause' : 'resume', 'paused')]),
    ...flightActions(whole, buy, ''),
    ...budgetActions(updates),
    ...updates.flatMap((update) => packageActions(update, buy)),
    ...added.map((at) => requestedAction('add_packages', `new_packages[${at}]`)),
  ];
}

function flightActions(changes: Partial<Flight>, now: Flight, path: string): readonly RequestedAction[] {
  const { startTime, endTime } = changes;
  if (startTime !== undefined && !isSame(startTime, now.startTime))
    return [requestedAction('update_flight_dates', `${path}start_time`)];
  if (endTime === undefined || isSame(endTime, now.endTime)) return [];
  const action = Date.parse(endTime) > Date.parse(now.endTime) ? 'extend_flight' : 'shorten_flight';
  return [requestedAction(action, `${path}end_time`, [['update_flight_dates']])];
}

/** Increases and decreases with a sum of zero reallocate money between packages, which is an action of its own. */
function budgetActions(updates: PartRequest['updates']): readonly RequestedAction[] {
  const moved = updates.flatMap(({ item, update, at }) => {
    if (update.budget === undefined || update.canceled === true) return [];
    const by = budgetMicros(update.budget, item.currency) - budgetAtSeller(item);
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
    ...flightActions(update, flightOfPackage(item, buy), path).map((action) => ({
      ...action,
      isOfPackage: true,
    })),
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

/** The current flight of a package: its own dates, or those of its seller's part. */
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

/** The overlay is replaced as a whole, so removed members have changed too. Frequency caps are a separate action. */
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

function requestedAction(
  action: string,
  field: string,
  orElse: RequestedAction['orElse'] = [],
): RequestedAction {
  return { action, field, orElse, isOfPackage: false };
}

function ofPackage(action: string, field: string, orElse: RequestedAction['orElse'] = []): RequestedAction {
  return { action, field, orElse, isOfPackage: true };
}
