import type { Schemas } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { flatten, itemsOf, type Flat } from './members.js';
import { entriesOf, isAgain, isOpen, mostTries, placeOf, type Place } from './places.js';
import { numberOf, textOf } from './value.js';

/** State that is shared by all messages of a schema. */
export interface State {
  readonly schemas: Schemas;
  readonly chance: () => number;
  readonly turns: Map<string, number>;
  number: number;
  round: number;
  /** Maximum number of further members in this message. */
  left: number;
  /** True if numbers may be finer than the unit of amounts; a request with such an amount is refused. */
  readonly isFine: boolean;
  /** Path of the one member that this message is made for. Other members are added only if they are required. */
  aim?: string;
}

/** Makes a value for a schema. A validator decides whether it conforms in every way. */
export function make(
  state: State,
  schema: JsonValue,
  place: Place | undefined,
  at: string,
  above: readonly string[],
): JsonValue {
  const { chosen, references } = choose(state, schema, at, above);
  const { schema: flat } = chosen;
  if (flat['const'] !== undefined) return flat['const'];
  const words = flat['enum'];
  if (Array.isArray(words)) return words[turn(state, `${at}=`, words.length)] ?? null;
  switch (typeOf(chosen)) {
    case 'object':
      return makeObject(state, chosen, place, at, references);
    case 'array':
      return makeList(state, chosen, place, at, references);
    case 'boolean':
      return turn(state, `${at}=`, 2) === 0;
    case 'integer':
      return numberOf(flat, (state.number += 1), true);
    case 'number':
      return numberOf(flat, (state.number += 1), false, state.isFine);
    default:
      // Not every schema has a pattern for currencies, but every reader requires one.
      if (at.endsWith('.currency')) return ['USD', 'EUR', 'GBP'][turn(state, `${at}=`, 3)] ?? 'USD';
      return textOf(flat, (state.number += 1));
  }
}

/** Selects one branch of each choice and merges it with the rest. Branches may contain further choices. */
function choose(
  state: State,
  schema: JsonValue,
  at: string,
  above: readonly string[],
): { readonly chosen: Flat; readonly references: readonly string[] } {
  let parts: JsonValue[] = [schema];
  for (let depth = 0; depth < 6; depth += 1) {
    const flat = flatten(state.schemas, { allOf: parts });
    if (flat.choices.length === 0) return { chosen: flat, references: [...above, ...flat.references] };
    const bare = without(parts, state.schemas);
    const picked = flat.choices.map((branches, which) => {
      const open = branches.filter((branch) => !isAgain(flatten(state.schemas, branch), above));
      if (state.aim === undefined) return open[turn(state, `${at}?${depth}.${which}`, open.length)] ?? true;
      const step = nextStep(state.aim, at);
      const having = open.filter((branch) => step !== undefined && hasStep(state.schemas, branch, step));
      const order = having.length > 0 ? having : open;
      return order[Math.floor(state.chance() * order.length)] ?? true;
    });
    parts = [...bare, ...picked];
  }
  const flat = flatten(state.schemas, { allOf: parts });
  return { chosen: flat, references: [...above, ...flat.references] };
}

/** Returns the same parts with their references resolved and their choices removed. */
function without(parts: readonly JsonValue[], schemas: Schemas): JsonValue[] {
  return parts.flatMap((part): JsonValue[] => {
    if (!isJsonObject(part)) return [];
    const { $ref, allOf, oneOf: _one, anyOf: _any, ...rest } = part;
    const referred = typeof $ref === 'string' ? without([schemas.at($ref)], schemas) : [];
    const all = Array.isArray(allOf) ? without(allOf, schemas) : [];
    return [...referred, ...all, rest];
  });
}

function typeOf({ schema, properties }: Flat): string {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  const [first] = types;
  if (typeof first === 'string') return first;
  if (Object.keys(properties).length > 0 || schema['patternProperties'] !== undefined) return 'object';
  return schema['items'] === undefined ? 'string' : 'array';
}

function makeObject(
  state: State,
  flat: Flat,
  place: Place | undefined,
  at: string,
  above: readonly string[],
): JsonObject {
  const made: Record<string, JsonValue> = {};
  const names = Object.keys(flat.properties);
  const order = names.map((name) => ({ name, key: state.chance() })).sort((a, b) => a.key - b.key);
  for (const { name } of order) {
    const inner = flat.properties[name] ?? true;
    if (inner === false) continue;
    const below = place?.inner.get(name);
    if (!flat.required.has(name) && !isWanted(state, below, inner, above, `${at}.${name}`)) continue;
    state.left -= 1;
    made[name] = make(state, inner, below, `${at}.${name}`, above);
  }
  for (const name of flat.required) made[name] ??= textOf({}, (state.number += 1));
  Object.assign(made, makeEntries(state, flat, place, at, above));
  for (const [first, last] of pairs) putInOrder(made, first, last);
  return made;
}

const pairs = [
  ['start', 'end'],
  ['start_time', 'end_time'],
  ['start_date', 'end_date'],
] as const;

/** Schemas allow an end before the start, but readers refuse it. */
function putInOrder(made: Record<string, JsonValue>, first: string, last: string): void {
  const [from, until] = [made[first], made[last]];
  if (typeof from !== 'string' || typeof until !== 'string') return;
  if (Number.isNaN(Date.parse(from)) ? from <= until : Date.parse(from) < Date.parse(until)) return;
  [made[first], made[last]] = [until, from];
}

/** Makes an entry of an object that is a map: with a name by its pattern, or any name. */
function makeEntries(
  state: State,
  flat: Flat,
  place: Place | undefined,
  at: string,
  above: readonly string[],
): JsonObject {
  const { schema } = flat;
  const isMap = Object.keys(flat.properties).length === 0;
  if (!isMap && entriesOf(flat) === undefined) return {};
  const byPattern = isJsonObject(schema['patternProperties'])
    ? Object.entries(schema['patternProperties'])[0]
    : undefined;
  const names = choose(state, schema['propertyNames'] ?? {}, `${at} names`, []).chosen.schema;
  const rest = isJsonObject(schema['additionalProperties']) ? schema['additionalProperties'] : undefined;
  const isAsked = schema['minProperties'] !== undefined || nextStep(state.aim, at) === '*';
  if ((state.left < 0 || state.aim !== undefined) && !isAsked) return {};
  if (byPattern === undefined && rest === undefined && schema['additionalProperties'] === false) return {};
  const [pattern, inner] = byPattern ?? [undefined, rest ?? {}];
  const key =
    firstWord(names['enum']) ?? textOf({ ...names, ...(pattern === undefined ? {} : { pattern }) }, 1);
  if (isAgain(flatten(state.schemas, inner), above)) return {};
  return { [key]: make(state, inner, place?.inner.get('*'), `${at}.*`, above) };
}

function firstWord(words: JsonValue | undefined): string | undefined {
  const first = Array.isArray(words) ? words[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}

function isWanted(
  state: State,
  place: Place | undefined,
  schema: JsonValue,
  above: readonly string[],
  at: string,
): boolean {
  if (isAgain(flatten(state.schemas, schema), above)) return false;
  // Some shapes differ only by other members.
  if (state.aim !== undefined)
    return isOnTheWay(state.aim, at) || (isBeside(state.aim, at) && state.chance() < 0.3);
  if (state.left <= 0) return false;
  const isNew =
    place !== undefined && ((!place.isFound && place.tries < mostTries) || isOpen(place, state.round));
  return state.chance() < (isNew ? 0.9 : 0.08);
}

function makeList(
  state: State,
  flat: Flat,
  place: Place | undefined,
  at: string,
  above: readonly string[],
): JsonValue[] {
  const items = itemsOf(flat) ?? {};
  const least = Number(flat.schema['minItems'] ?? 0);
  const most = Number(flat.schema['maxItems'] ?? 100);
  const again = isAgain(flatten(state.schemas, items), above);
  const wanted = again ? 0 : state.aim === undefined && state.left > 0 ? 2 : 1;
  const length = Math.min(Math.max(least, wanted), most);
  const made = Array.from({ length }, () => make(state, items, place?.inner.get('[]'), `${at}[]`, above));
  const { contains, uniqueItems } = flat.schema;
  if (isJsonObject(contains))
    made.push(make(state, { allOf: [items, contains] }, undefined, `${at}{}`, above));
  // A repeated value stays repeated: a reader that makes a set loses one.
  const [first] = made;
  const isScalar = typeof first === 'string' || typeof first === 'number';
  if (uniqueItems !== true && isScalar && made.length < most && state.aim === undefined) made.push(first);
  return made;
}

/** Returns the numbers below `many` in turn. */
function turn(state: State, key: string, many: number): number {
  const times = state.turns.get(key) ?? Math.floor(state.chance() * many);
  state.turns.set(key, times + 1);
  return many === 0 ? 0 : times % many;
}

/** The next step from a place on the way to the aim: a name, `[]` or `*`. */
function nextStep(aim: string | undefined, at: string): string | undefined {
  if (aim === undefined || aim === at || !isOnTheWay(aim, at)) return undefined;
  const rest = aim.slice(at.length);
  return rest.startsWith('[]') ? '[]' : /^\.([^.[]+)/.exec(rest)?.[1];
}

function isOnTheWay(aim: string, at: string): boolean {
  return aim === at || aim.startsWith(`${at}.`) || aim.startsWith(`${at}[]`);
}

function isBeside(aim: string, at: string): boolean {
  return at.slice(0, at.lastIndexOf('.')) === aim.slice(0, aim.lastIndexOf('.'));
}

const steps = new WeakMap<object, ReadonlySet<string>>();

function hasStep(schemas: Schemas, schema: JsonValue, step: string): boolean {
  if (!isJsonObject(schema)) return false;
  const before = steps.get(schema);
  if (before !== undefined) return before.has(step);
  const names = new Set(placeOf(schemas, schema, []).inner.keys());
  steps.set(schema, names);
  return names.has(step);
}
