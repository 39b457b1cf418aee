import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { PricingOption } from '../product/pricing.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf } from '../../message/amount.js';
import { member, numberAt, objectAt, textAt } from '../../message/pick.js';

type Release = Exclude<Form, 'service'>;

/** Kinds of events that 3.1 added and 3.0 does not have. */
export const newestEvents: ReadonlySet<string> = new Set(['follow', 'content_view', 'watch_milestone']);

/** Pricing models of 2.5. */
export const models25 = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'flat_rate'];
const models: Readonly<Record<Release, readonly string[]>> = {
  '2.5': models25,
  '3.0': [...models25, 'cpa', 'time'],
  // What a later release adds is taken out for callers of 3.1 itself.
  '3.1': [...models25, 'cpa', 'time', 'revenue_share'],
};
/** What a share of revenue must say: its price is none of the usual figures. */
const shareMembers = [
  ...['event_type', 'event_source_id', 'commission_rate', 'commission_basis_description'],
];
/** Models that 2.5 has auctions for. */
const auctions25 = ['cpm', 'vcpm'];
/** The demographic of a rating point, as 2.5 writes it. */
const demographic25 = /^[PMWAC][0-9]{2}(-[0-9]{2}|\+)$/;
const timeUnits = ['hour', 'day', 'week', 'month'];

/**
 * Whether a form can carry a price: releases have closed lists of models, and each model requires its unit. The
 * `service` form has an open list. A price without figures, as callers without credentials see it, needs only its model
 * (docs/protocol/requests-and-versions.md#callers-without-credentials).
 */
export function hasPlaceIn(option: PricingOption, to: Form): boolean {
  const { auction, fixedPrice, floorPrice, model, original } = option;
  if (to === 'service') return true;
  if (!models[to].includes(model)) return false;
  if (model === 'revenue_share')
    return shareMembers.every((name) => member(original.value, name) !== undefined);
  if (original.form === to) return true;
  if (!auction && fixedPrice === undefined && floorPrice === undefined) return true;
  if (to === '2.5' && auction && !auctions25.includes(model)) return false;
  return namesItsUnit(option, to);
}

/** Whether a release has this pricing model; the `service` form allows any. */
export function isModelOf(model: string, form: Form): boolean {
  return form === 'service' || models[form].includes(model);
}

function namesItsUnit({ model, fixedPrice, original: { value } }: PricingOption, to: Release): boolean {
  const parameters = objectAt(value, 'parameters');
  switch (model) {
    case 'cpv':
      return isThreshold(parameters);
    case 'cpp': {
      const demographic = textAt(parameters, 'demographic');
      return demographic !== undefined && (to !== '2.5' || demographic25.test(demographic));
    }
    case 'time':
      return timeUnits.includes(textAt(parameters, 'time_unit') ?? '');
    case 'cpa': {
      const event = textAt(value, 'event_type');
      const isKnown = event !== undefined && (to === '3.1' || !newestEvents.has(event));
      return isKnown && fixedPrice !== undefined && numberOf(fixedPrice) > 0;
    }
    default:
      return true;
  }
}

/** What counts as a view: a share viewed, or a number of seconds. */
function isThreshold(parameters: JsonObject | undefined): boolean {
  const threshold = member(parameters, 'view_threshold');
  if (isJsonObject(threshold)) return (numberAt(threshold, 'duration_seconds') ?? 0) >= 1;
  return typeof threshold === 'number' && threshold >= 0 && threshold <= 1;
}
