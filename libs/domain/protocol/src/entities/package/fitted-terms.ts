import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { fittedCatalog } from '../product/fitted-catalog.js';
import { newestEvents } from './price-place.js';
import { listAt, member, objectAt, objectsAt, textAt, without } from '../../message/pick.js';
import { withPlainBrands } from '../brand/brand.js';

/** A package in a form, and the paths within it that the form does not take. */
interface FittedTerms {
  readonly terms: JsonObject;
  /** Lists are written `[]`. */
  readonly lost: readonly string[];
}

/** Kinds of goals that 3.0 has. */
const goals30 = ['metric', 'event'];
const goals = 'optimization_goals';
/** Members of a package that name brands. */
const branded = ['measurement_terms', 'performance_standards'];

/**
 * The terms of a package, requested or reported, as a form takes them. Both releases 3.x have the same names, but 3.0
 * closes lists of values that 3.1 extended; the other forms have none of these members.
 */
export function fittedTerms(reported: JsonObject, to: Form): FittedTerms {
  if (to !== '3.0') return { terms: reported, lost: [] };
  const terms: Record<string, JsonValue> = { ...reported };
  const lost: string[] = [];
  for (const name of branded) {
    const term = member(reported, name);
    if (term === undefined) continue;
    terms[name] = withPlainBrands(term);
    if (JSON.stringify(terms[name]) !== JSON.stringify(term)) lost.push(brandPath(name));
  }
  fitGoals(reported, terms, lost);
  fitCatalogs(reported, terms, lost);
  return { terms, lost };
}

function brandPath(name: string): string {
  const place = name === 'measurement_terms' ? `${name}.billing_measurement` : `${name}[]`;
  return `${place}.vendor.brand_kit_override`;
}

/** A goal that a release cannot carry completely is left out: a part of it would be another goal. */
function fitGoals(reported: JsonObject, terms: Record<string, JsonValue>, lost: string[]): void {
  const list = listAt(reported, goals);
  if (list === undefined) return;
  const stored = list.filter((goal) => !isJsonObject(goal) || isGoal30(goal));
  if (stored.length < list.length) lost.push(goals);
  const windows = stored.map(withWindow30);
  if (windows.some((goal, at) => goal !== stored[at])) lost.push(`${goals}[].attribution_window`);
  if (windows.length > 0) terms[goals] = windows;
  else Reflect.deleteProperty(terms, goals);
}

function isGoal30(goal: JsonObject): boolean {
  return (
    goals30.includes(textAt(goal, 'kind') ?? '') &&
    objectsAt(goal, 'event_sources').every(({ event_type: type }) => !isNewest(type ?? null))
  );
}

/** In 3.0 an attribution window requires `post_click`. */
function withWindow30(goal: JsonValue): JsonValue {
  if (!isJsonObject(goal) || textAt(goal, 'kind') !== 'event') return goal;
  const window = objectAt(goal, 'attribution_window');
  if (window === undefined || objectAt(window, 'post_click') !== undefined) return goal;
  return without(goal, ['attribution_window']);
}

function fitCatalogs(reported: JsonObject, terms: Record<string, JsonValue>, lost: string[]): void {
  const list = listAt(reported, 'catalogs');
  if (list === undefined) return;
  const fitted = list.map((catalog) =>
    isJsonObject(catalog) ? fittedCatalog(catalog, '3.0') : { catalog, lost: [] },
  );
  const paths = fitted.flatMap((term) => term.lost.map((path) => (path === '' ? '' : `[].${path}`)));
  lost.push(...new Set(paths.map((path) => `catalogs${path}`)));
  const stored = fitted.flatMap(({ catalog }) => (catalog === undefined ? [] : [catalog]));
  if (stored.length > 0) terms['catalogs'] = stored;
  else Reflect.deleteProperty(terms, 'catalogs');
}

function isNewest(value: JsonValue): boolean {
  return typeof value === 'string' && newestEvents.has(value);
}
