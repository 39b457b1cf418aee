import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { listAt, numberAt, objectAt, textAt, textsAt, without } from '../../message/pick.js';
import { fusedSystem } from './postal-system.js';
import { countryCode } from '../../message/shapes.js';

/** Targeting in a form, and what the form does not support. */
interface ProjectedTargeting {
  readonly targeting: JsonObject;
  /** Names of members that the form does not support. */
  readonly unsupported: readonly string[];
}

/** A value that each release has, by its names in 2.5 and in 3.x. */
interface Word {
  readonly older: string;
  readonly newer: string;
  /** Converts between the values of 2.5 and 3.x; `undefined` where the other cannot hold it. */
  readonly toNewer: (values: readonly string[], around: JsonObject) => readonly JsonValue[] | undefined;
  readonly toOlder: (list: readonly JsonValue[], around: JsonObject) => readonly string[] | undefined;
}

const texts = (list: readonly JsonValue[]): readonly string[] | undefined =>
  list.every((item) => typeof item === 'string') ? list : undefined;
const ifAll =
  (pattern: RegExp) =>
  (values: readonly string[]): readonly string[] | undefined =>
    values.every((value) => pattern.test(value)) ? values : undefined;
/** The values of a list of systems, if all items are of this system. */
const valuesOf = (list: readonly JsonValue[], isOne: (item: JsonObject) => boolean) =>
  list.every((item) => isJsonObject(item) && isOne(item))
    ? list.flatMap((item) => (isJsonObject(item) ? textsAt(item, 'values') : []))
    : undefined;

/** 2.5 has codes without systems: Nielsen's metros, and postal codes of the buy's country. */
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

/** Five digits are a postal code in many countries: only the country makes them a ZIP code. */
function isInStates(around: JsonObject): boolean {
  const named = [...textsAt(around, 'geo_countries'), ...textsAt(around, 'geo_country_any_of')];
  return named.length > 0 && named.every((country) => country === 'US');
}

/** Reads names of 2.5 as those of 3.x. Members that 3.x cannot hold stay unchanged. */
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
 * Targeting for a form. Members that the form does not support keep their names in other releases, because a buy with
 * less targeting reaches people whom the buyer did not want; and they are reported. Only members that would make the
 * request invalid are left out. The `service` form allows any overlay.
 */
export function projectTargeting(targeting: JsonObject, to: Form): ProjectedTargeting {
  switch (to) {
    case 'service':
      return { targeting, unsupported: [] };
    case '3.1':
      return { targeting, unsupported: olderIn(targeting) };
    case '3.0':
      return as30(targeting);
    case '2.5':
      return as25(targeting);
  }
}

function olderIn(targeting: JsonObject): readonly string[] {
  return words.flatMap(({ older }) => (older in targeting ? [older] : []));
}

/** 3.0 writes a postal code's country and system as one name. */
function as30(targeting: JsonObject): ProjectedTargeting {
  const unsupported = [...olderIn(targeting), ...Object.keys(targeting).filter((name) => only31.has(name))];
  const written = { ...targeting };
  for (const name of ['geo_postal_areas', 'geo_postal_areas_exclude']) {
    const areas = listAt(targeting, name);
    if (areas === undefined) continue;
    const fused = areas.map((area) => (isJsonObject(area) ? fusedSystem(area) : area));
    if (fused.every((value) => value !== undefined)) written[name] = fused;
    else {
      Reflect.deleteProperty(written, name);
      unsupported.push(name);
    }
  }
  return { targeting: written, unsupported };
}

function as25(targeting: JsonObject): ProjectedTargeting {
  const renamed = words.reduce((read, { older, newer, toOlder }) => {
    const list = listAt(read, newer);
    const values = list === undefined || older in read ? undefined : toOlder(list, targeting);
    return values === undefined ? read : { ...without(read, [newer]), [older]: [...values] };
  }, targeting);
  const unsupported = Object.keys(renamed).filter((name) => !known25.has(name));
  const cap = objectAt(renamed, 'frequency_cap');
  if (cap === undefined) return { targeting: renamed, unsupported };
  // 2.5 can only hold the time between two views, in minutes.
  const minutes = numberAt(cap, 'suppress_minutes') ?? minutesOf(objectAt(cap, 'suppress'));
  const isWhole = Object.keys(cap).every((name) => name === 'suppress' || name === 'suppress_minutes');
  return {
    targeting: {
      ...without(renamed, ['frequency_cap']),
      ...(minutes === undefined ? {} : { frequency_cap: { suppress_minutes: minutes } }),
    },
    unsupported: minutes !== undefined && isWhole ? unsupported : [...unsupported, 'frequency_cap'],
  };
}

const minutesIn: Readonly<Record<string, number>> = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1_440 };

function minutesOf(duration: JsonObject | undefined): number | undefined {
  const [interval, unit] = [numberAt(duration, 'interval'), textAt(duration, 'unit') ?? ''];
  const each = Object.hasOwn(minutesIn, unit) ? minutesIn[unit] : undefined;
  return interval === undefined || each === undefined ? undefined : interval * each;
}

/** Names of reported targeting that a form loses, fully or in part. Members that are shown unchanged are not lost. */
export function lostTargeting(shown: JsonObject, to: Form): readonly string[] {
  const { targeting, unsupported } = projectTargeting(shown, to);
  return unsupported.filter((name) => name === 'frequency_cap' || !(name in targeting));
}

/** Findings for targeting that a form does not support; `field` is the path of the overlay. */
export function unsupportedTargeting(unsupported: readonly string[], field: string): readonly Finding[] {
  return unsupported.map((name) => ({
    code: 'TARGETING_NOT_CARRIED',
    message:
      'The protocol version of this seller has no value for this targeting, so the seller may ignore it.',
    field: `${field}.${name}`,
  }));
}
