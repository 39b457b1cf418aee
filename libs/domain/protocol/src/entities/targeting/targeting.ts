import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { listAt, numberAt, objectAt, textAt, textsAt, without } from '../../message/pick.js';
import { fusedSystem } from './postal-system.js';
import { countryCode } from '../../message/shapes.js';

/** Targeting as a form has it, and what of it the form has no words for. */
export interface ProjectedTargeting {
  readonly targeting: JsonObject;
  /** Names of what the form has no word for. */
  readonly unsaid: readonly string[];
}

/** Values that each release can say, by their names in 2.5 and in 3.x. */
interface Word {
  readonly older: string;
  readonly newer: string;
  /** 3.x's value of 2.5's, and the other way; nothing where the other cannot say it. */
  readonly toNewer: (values: readonly string[], around: JsonObject) => readonly JsonValue[] | undefined;
  readonly toOlder: (list: readonly JsonValue[], around: JsonObject) => readonly string[] | undefined;
}

const texts = (list: readonly JsonValue[]): readonly string[] | undefined =>
  list.every((item) => typeof item === 'string') ? list : undefined;
const ifAll =
  (pattern: RegExp) =>
  (values: readonly string[]): readonly string[] | undefined =>
    values.every((value) => pattern.test(value)) ? values : undefined;
/** The values of a list of systems, where it names none but this one. */
const valuesOf = (list: readonly JsonValue[], isOne: (item: JsonObject) => boolean) =>
  list.every((item) => isJsonObject(item) && isOne(item))
    ? list.flatMap((item) => (isJsonObject(item) ? textsAt(item, 'values') : []))
    : undefined;

/** 2.5 has codes without their systems: metros by Nielsen's areas, and postal codes of whatever country the buy is in. */
const words: readonly Word[] = [
  { older: 'geo_country_any_of', newer: 'geo_countries', toNewer: ifAll(countryCode), toOlder: texts },
  {
    older: 'geo_region_any_of',
    newer: 'geo_regions',
    toNewer: ifAll(/^[A-Z]{2}-[A-Z0-9]{1,3}$/),
    toOlder: texts,
  },
  {
    older: 'geo_metro_any_of',
    newer: 'geo_metros',
    toNewer: (values) =>
      ifAll(/^\d{3}$/)(values) === undefined ? undefined : [{ system: 'nielsen_dma', values: [...values] }],
    toOlder: (list) => valuesOf(list, ({ system }) => system === 'nielsen_dma'),
  },
  {
    older: 'geo_postal_code_any_of',
    newer: 'geo_postal_areas',
    toNewer: (values, around) =>
      isInStates(around) && ifAll(/^\d{5}$/)(values) !== undefined
        ? [{ system: 'us_zip', values: [...values] }]
        : undefined,
    toOlder: (list, around) =>
      isInStates(around)
        ? valuesOf(
            list,
            ({ system, country }) => system === 'us_zip' || (country === 'US' && system === 'zip'),
          )
        : undefined,
  },
];

/** Five digits are a postal code in many countries: only beside the country it is told which. */
function isInStates(around: JsonObject): boolean {
  const named = [...textsAt(around, 'geo_countries'), ...textsAt(around, 'geo_country_any_of')];
  return named.length > 0 && named.every((country) => country === 'US');
}

/** What 2.5 says by other names, in the words of 3.x. What 3.x cannot say so stays as it was. */
export function readTargeting(reported: JsonObject): JsonObject {
  return words.reduce((read, { older, newer, toNewer }) => {
    const values = texts(listAt(read, older) ?? []) ?? [];
    const list = values.length === 0 || newer in read ? undefined : toNewer(values, reported);
    return list === undefined ? read : { ...without(read, [older]), [newer]: [...list] };
  }, reported);
}

const known25: ReadonlySet<string> = new Set([
  ...words.map(({ older }) => older),
  'axe_include_segment',
  'axe_exclude_segment',
  'frequency_cap',
]);
const only31: ReadonlySet<string> = new Set(['signal_targeting_groups', 'signal_targeting']);

/**
 * Targeting in the words of a form. What it has no word for stays under the name that other releases have for it, because
 * a buy that is aimed at less than was asked for reaches people whom nobody wanted; and it is told. Only what would make
 * the request invalid there is left out. The `service` form leaves open what an overlay holds.
 */
export function projectTargeting(targeting: JsonObject, to: Form): ProjectedTargeting {
  switch (to) {
    case 'service':
      return { targeting, unsaid: [] };
    case '3.1':
      return { targeting, unsaid: olderIn(targeting) };
    case '3.0':
      return as30(targeting);
    case '2.5':
      return as25(targeting);
  }
}

function olderIn(targeting: JsonObject): readonly string[] {
  return words.flatMap(({ older }) => (older in targeting ? [older] : []));
}

/** 3.0 writes the country of a postal code and its system as one word. */
function as30(targeting: JsonObject): ProjectedTargeting {
  const unsupported = [...olderIn(targeting), ...Object.keys(targeting).filter((name) => only31.has(name))];
  const written = { ...targeting };
  for (const name of ['geo_postal_areas', 'geo_postal_areas_exclude']) {
    const areas = listAt(targeting, name);
    if (areas === undefined) continue;
    const fused = areas.map((area) => (isJsonObject(area) ? fusedSystem(area) : area));
    if (fused.every((one) => one !== undefined)) written[name] = fused;
    else {
      Reflect.deleteProperty(written, name);
      unsupported.push(name);
    }
  }
  return { targeting: written, unsaid: unsupported };
}

function as25(targeting: JsonObject): ProjectedTargeting {
  const renamed = words.reduce((read, { older, newer, toOlder }) => {
    const list = listAt(read, newer);
    const values = list === undefined || older in read ? undefined : toOlder(list, targeting);
    return values === undefined ? read : { ...without(read, [newer]), [older]: [...values] };
  }, targeting);
  const unsupported = Object.keys(renamed).filter((name) => !known25.has(name));
  const cap = objectAt(renamed, 'frequency_cap');
  if (cap === undefined) return { targeting: renamed, unsaid: unsupported };
  // Only how long somebody is left alone can be said there, in minutes.
  const minutes = numberAt(cap, 'suppress_minutes') ?? minutesOf(objectAt(cap, 'suppress'));
  const isWhole = Object.keys(cap).every((name) => name === 'suppress' || name === 'suppress_minutes');
  return {
    targeting: {
      ...without(renamed, ['frequency_cap']),
      ...(minutes === undefined ? {} : { frequency_cap: { suppress_minutes: minutes } }),
    },
    unsaid: minutes !== undefined && isWhole ? unsupported : [...unsupported, 'frequency_cap'],
  };
}

const minutesIn: Readonly<Record<string, number>> = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1_440 };

function minutesOf(duration: JsonObject | undefined): number | undefined {
  const [interval, unit] = [numberAt(duration, 'interval'), textAt(duration, 'unit') ?? ''];
  const each = Object.hasOwn(minutesIn, unit) ? minutesIn[unit] : undefined;
  return interval === undefined || each === undefined ? undefined : interval * each;
}

/** Of targeting that somebody shows: the names of what a form loses all or some of. What it shows as it was is not lost. */
export function lostTargeting(shown: JsonObject, to: Form): readonly string[] {
  const { targeting, unsaid } = projectTargeting(shown, to);
  return unsaid.filter((name) => name === 'frequency_cap' || !(name in targeting));
}

/** What a form had no word for, as findings; `field` is the path of the overlay. */
export function unsupportedTargeting(unsupported: readonly string[], field: string): readonly Finding[] {
  return unsupported.map((name) => ({
    code: 'TARGETING_NOT_CARRIED',
    message: 'The form of this seller has no word for this targeting, so the seller may not follow it.',
    field: `${field}.${name}`,
  }));
}
