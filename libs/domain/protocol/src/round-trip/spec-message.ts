import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ErrorObject } from 'ajv';
import { flatten, itemsOf, type Flat } from './spec-members.js';
import type { Schemas } from './spec-schemas.js';
import { numberOf, seeded, textOf } from './spec-value.js';

/** Messages of one schema that conform to it, and the members that none of them has. */
export interface Messages {
  readonly messages: readonly JsonObject[];
  /** Paths of the members that came up, lists with `[]`. */
  readonly found: ReadonlySet<string>;
  /** Those that the schema names and that no conforming message was found for. */
  readonly missing: readonly string[];
}

/** A place in a schema: which of its members have been in a message, and how often they were tried. */
interface Place {
  readonly inner: Map<string, Place>;
  isFound: boolean;
  tries: number;
  /** Whether anything below was still to be seen when the round with this number began. */
  open?: { readonly round: number; readonly is: boolean };
}

const mostTries = 16;
/** Members of one message: what is beyond is left to the next one, so that none grows without measure. */
const mostMembers = 250;

/**
 * Messages that conform to a published schema and between them have each of its members at least once, at any depth.
 * A schema that holds itself is followed once.
 */
export function messagesOf(schemas: Schemas, path: string, seed: number): Messages {
  const chance = seeded(seed);
  const root: JsonValue = { $ref: schemas.reference(path) };
  const whole = placeOf(schemas, root, []);
  const validate = schemas.validatorOf(path);
  const state = { schemas, chance, number: 0, round: 0, left: 0, turns: new Map<string, number>() };
  const messages: JsonObject[] = [];
  for (let round = 0; round < 600 && isOpen(whole, round); round += 1) {
    state.left = 20 + Math.floor(chance() ** 2 * mostMembers);
    state.round = round;
    const made = make(state, root, whole, '', []);
    if (!isJsonObject(made)) continue;
    markTried(made, whole);
    const message = mended(made, validate, (name) => {
      const inner = flatten(schemas, root).properties[name];
      return inner === undefined ? undefined : make(state, inner, whole.inner.get(name), `.${name}`, []);
    });
    if (message !== undefined && markFound(message, whole)) messages.push(message);
  }
  const found = new Set<string>();
  const missing: string[] = [];
  listPlaces(whole, '', (place, at) => (place.isFound ? found.add(at) : missing.push(at)));
  return { messages, found, missing };
}

function listPlaces(place: Place, at: string, tell: (place: Place, at: string) => void): void {
  for (const [name, inner] of place.inner) {
    const path = name === '[]' ? `${at}[]` : at === '' ? name : `${at}.${name}`;
    if (name !== '[]') tell(inner, path);
    listPlaces(inner, path, tell);
  }
}

const empty = (): Place => ({ inner: new Map(), isFound: false, tries: 0 });

function placeOf(schemas: Schemas, schema: JsonValue, above: readonly string[], into = empty()): Place {
  const flat = flatten(schemas, schema);
  if (isAgain(flat, above)) return into;
  const within = [...above, ...flat.references];
  const items = itemsOf(flat);
  if (items !== undefined) into.inner.set('[]', placeOf(schemas, items, within, into.inner.get('[]')));
  for (const [name, inner] of Object.entries(flat.properties)) {
    if (inner === false) continue;
    into.inner.set(name, placeOf(schemas, inner, within, into.inner.get(name)));
  }
  for (const branches of flat.choices) for (const branch of branches) placeOf(schemas, branch, within, into);
  return into;
}

function isAgain({ references }: Flat, above: readonly string[]): boolean {
  return references.some((one) => above.includes(one));
}

/** Whether something below is still to be seen, and was not tried in vain too often. */
function isOpen(place: Place, round: number): boolean {
  if (place.open?.round === round) return place.open.is;
  let is = false;
  for (const [name, one] of place.inner)
    is = (name !== '[]' && !one.isFound && one.tries < mostTries) || isOpen(one, round) || is;
  place.open = { round, is };
  return is;
}

interface State {
  readonly schemas: Schemas;
  readonly chance: () => number;
  readonly turns: Map<string, number>;
  number: number;
  round: number;
  left: number;
}

function make(
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
      return numberOf(flat, (state.number += 1), false);
    default:
      return textOf(flat, (state.number += 1));
  }
}

/** One branch of each choice, put together with the rest. Branches may have choices of their own. */
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
      const order = branches.filter((branch) => !isAgain(flatten(state.schemas, branch), above));
      return order[turn(state, `${at}?${depth}.${which}`, order.length)] ?? true;
    });
    parts = [...bare, ...picked];
  }
  const flat = flatten(state.schemas, { allOf: parts });
  return { chosen: flat, references: [...above, ...flat.references] };
}

/** The same parts with what they refer to written out and their choices taken out. */
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
    if (!flat.required.has(name) && !isWanted(state, below, inner, above)) continue;
    state.left -= 1;
    made[name] = make(state, inner, below, `${at}.${name}`, above);
  }
  for (const name of flat.required) made[name] ??= textOf({}, (state.number += 1));
  if (names.length === 0) Object.assign(made, makeEntries(state, flat, at, above));
  for (const [first, last] of pairs) putInOrder(made, first, last);
  return made;
}

const pairs = [
  ['start', 'end'],
  ['start_time', 'end_time'],
  ['start_date', 'end_date'],
] as const;

/** What ends before it begins conforms to every schema, and no reader takes it. */
function putInOrder(made: Record<string, JsonValue>, first: string, last: string): void {
  const [from, until] = [made[first], made[last]];
  if (typeof from !== 'string' || typeof until !== 'string' || from <= until) return;
  [made[first], made[last]] = [until, from];
}

/** An entry of an object that is a map: by its pattern, or of whatever name. */
function makeEntries(state: State, { schema }: Flat, at: string, above: readonly string[]): JsonObject {
  const byPattern = isJsonObject(schema['patternProperties'])
    ? Object.entries(schema['patternProperties'])[0]
    : undefined;
  const names = isJsonObject(schema['propertyNames']) ? schema['propertyNames'] : {};
  const rest = isJsonObject(schema['additionalProperties']) ? schema['additionalProperties'] : undefined;
  if (state.left < 0 && schema['minProperties'] === undefined) return {};
  if (byPattern === undefined && rest === undefined && schema['additionalProperties'] === false) return {};
  const [pattern, inner] = byPattern ?? [undefined, rest ?? {}];
  const key =
    firstWord(names['enum']) ?? textOf({ ...names, ...(pattern === undefined ? {} : { pattern }) }, 1);
  if (isAgain(flatten(state.schemas, inner), above)) return {};
  return { [key]: make(state, inner, undefined, `${at}.*`, above) };
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
): boolean {
  if (state.left <= 0 || isAgain(flatten(state.schemas, schema), above)) return false;
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
  const wanted = again ? 0 : state.left > 0 && flatten(state.schemas, items).choices.length > 0 ? 2 : 1;
  const length = Math.min(Math.max(least, wanted), most);
  return Array.from({ length }, () => make(state, items, place?.inner.get('[]'), `${at}[]`, above));
}

/** Each of so many in its turn. */
function turn(state: State, key: string, many: number): number {
  const times = state.turns.get(key) ?? Math.floor(state.chance() * many);
  state.turns.set(key, times + 1);
  return many === 0 ? 0 : times % many;
}

/** The message with what does not conform taken out, or nothing where it cannot be mended that way. */
function mended(
  message: Record<string, JsonValue>,
  validate: ReturnType<Schemas['validatorOf']>,
  fill: (name: string) => JsonValue | undefined,
): JsonObject | undefined {
  for (let round = 0; round < 40; round += 1) {
    if (validate(message)) return message;
    const errors = [...(validate.errors ?? [])].sort(bySharpness);
    const cut = errors.some((error) => cutAt(message, error));
    if (!cut && !errors.some((error) => isFilled(message, error, fill))) return undefined;
  }
  return undefined;
}

/** Adds to the message itself what some condition demands of it; whether there was anything to add. */
function isFilled(
  message: Record<string, JsonValue>,
  { keyword, instancePath, params }: ErrorObject,
  fill: (name: string) => JsonValue | undefined,
): boolean {
  if (keyword !== 'required' || instancePath !== '') return false;
  const name = String(params['missingProperty']);
  const value = fill(name);
  if (value !== undefined) message[name] = value;
  return value !== undefined;
}

/** What says which member is wrong comes before what says that none of several shapes fits; the deepest first. */
function bySharpness(a: ErrorObject, b: ErrorObject): number {
  const rank = ({ keyword }: ErrorObject): number => {
    if (['const', 'enum', 'required', 'type'].includes(keyword)) return 2;
    return ['oneOf', 'anyOf', 'if'].includes(keyword) ? 1 : 0;
  };
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  return rank(a) - rank(b) || depth(b) - depth(a);
}

/** Takes out the member that an error is about; whether there was one. */
function cutAt(message: JsonObject, error: ErrorObject): boolean {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
  const { keyword, params } = error;
  if (keyword === 'if' || keyword === 'anyOf' || keyword === 'oneOf') return cutBelow(message, steps, error);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return remove(message, [...steps, String(params['additionalProperty'] ?? params['unevaluatedProperty'])]);
  if (keyword === 'not' || keyword === 'dependencies') return cutBelow(message, steps, error);
  if (steps.length === 0) return false;
  return removeOptional(message, steps);
}

/** Of what must not stand together, the last named member goes. */
function cutBelow(message: JsonObject, steps: readonly string[], error: ErrorObject): boolean {
  const names = [...JSON.stringify(error.schema ?? {}).matchAll(/"required":\[([^\]]*)\]/g)]
    .flatMap(([, list]) => (list ?? '').split(','))
    .map((name) => name.replace(/"/g, ''));
  if (error.keyword === 'dependencies') names.unshift(String(error.params['property']));
  if (error.keyword !== 'not' && error.keyword !== 'dependencies')
    return steps.length > 0 && removeOptional(message, steps);
  return names.some((name) => remove(message, [...steps, name])) || removeOptional(message, steps);
}

function removeOptional(message: JsonObject, steps: readonly string[]): boolean {
  for (let depth = steps.length; depth > 0; depth -= 1)
    if (remove(message, steps.slice(0, depth))) return true;
  return false;
}

function remove(message: JsonObject, steps: readonly string[]): boolean {
  const owner = steps
    .slice(0, -1)
    .reduce<JsonValue | undefined>(
      (inner, step) => (inner as Record<string, JsonValue> | undefined)?.[step],
      message,
    );
  const name = steps.at(-1) ?? '';
  if (Array.isArray(owner)) {
    const index = Number(name);
    if (!(index < owner.length)) return false;
    owner.splice(index, 1);
    return true;
  }
  if (!isJsonObject(owner) || !Object.hasOwn(owner, name)) return false;
  return Reflect.deleteProperty(owner, name);
}

function markTried(value: JsonValue, place: Place | undefined): void {
  walk(value, place, (one) => {
    one.tries += 1;
    return false;
  });
}

/** Notes what a message has; whether any of it is new. */
function markFound(value: JsonValue, place: Place | undefined): boolean {
  return walk(value, place, (one) => {
    const isNew = !one.isFound;
    one.isFound = true;
    return isNew;
  });
}

function walk(value: JsonValue, place: Place | undefined, visit: (place: Place) => boolean): boolean {
  if (place === undefined) return false;
  if (Array.isArray(value)) {
    return value.map((item) => walk(item, place.inner.get('[]'), visit)).some(Boolean);
  }
  if (!isJsonObject(value)) return false;
  return Object.entries(value)
    .map(([name, inner]) => {
      const below = place.inner.get(name);
      const isNew = below !== undefined && visit(below);
      return walk(inner, below, visit) || isNew;
    })
    .some(Boolean);
}
