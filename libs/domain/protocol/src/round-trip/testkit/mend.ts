import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ErrorObject, ValidateFunction } from 'ajv';

/** The means to repair a message. */
interface Means {
  /** True if faults are repaired by adding members if possible, false if by removing them. */
  readonly isAdding: boolean;
  readonly chance: () => number;
  /** Returns a value for the place at these steps; undefined if no schema describes it. */
  readonly fill: (steps: readonly string[]) => JsonValue | undefined;
}

/** Returns the message with its faults repaired; undefined if that is not possible. */
export function mended(
  message: Record<string, JsonValue>,
  validate: ValidateFunction,
  means: Means,
): JsonObject | undefined {
  for (let round = 0; round < 40; round += 1) {
    if (validate(message)) return message;
    const errors = sharpestFirst(validate.errors ?? []);
    if (means.isAdding && means.chance() < 0.7) {
      const shuffled = errors.map((error) => ({ error, key: means.chance() })).sort((x, y) => x.key - y.key);
      if (shuffled.some(({ error }) => isPutRight(message, error, means))) continue;
    }
    const cut = errors.some((error) => cutAt(message, error));
    const isTop = ({ keyword, instancePath }: ErrorObject): boolean =>
      keyword === 'required' && instancePath === '';
    if (!cut && !errors.some((error) => isTop(error) && isPutRight(message, error, means))) return undefined;
  }
  return undefined;
}

/** Adds a required member, or replaces a value by an allowed one. Returns true if the message was changed. */
function isPutRight(message: JsonObject, error: ErrorObject, { chance, fill }: Means): boolean {
  const steps = stepsOf(error);
  const { keyword, params } = error;
  if (keyword === 'required' || keyword === 'dependencies') {
    const name = String(params['missingProperty']);
    const value = fill([...steps, name]);
    return value !== undefined && put(message, [...steps, name], value);
  }
  if (keyword === 'const') return put(message, steps, params['allowedValue'] as JsonValue);
  if (keyword !== 'enum') return false;
  const words = params['allowedValues'] as readonly JsonValue[];
  return put(message, steps, words[Math.floor(chance() * words.length)] ?? null);
}

function stepsOf({ instancePath }: ErrorObject): readonly string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function put(message: JsonObject, steps: readonly string[], value: JsonValue): boolean {
  const owner = ownerOf(message, steps);
  if (typeof owner !== 'object' || owner === null || steps.length === 0) return false;
  return Reflect.set(owner, steps.at(-1) ?? '', value);
}

function ownerOf(message: JsonObject, steps: readonly string[]): JsonValue | undefined {
  return steps
    .slice(0, -1)
    .reduce<JsonValue | undefined>(
      (inner, step) => (inner as Record<string, JsonValue> | undefined)?.[step],
      message,
    );
}

/** Sorts errors: those about one member before those that no branch matches, and the deepest first. */
function sharpestFirst(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors
    .map((error) => ({ error, rank: rankOf(error), depth: error.instancePath.split('/').length }))
    .sort((a, b) => a.rank - b.rank || b.depth - a.depth)
    .map(({ error }) => error);
}

function rankOf({ keyword }: ErrorObject): number {
  if (['const', 'enum', 'required', 'type'].includes(keyword)) return 2;
  return ['oneOf', 'anyOf', 'if'].includes(keyword) ? 1 : 0;
}

/** Removes the member that an error is about. Returns true if there was one. */
function cutAt(message: JsonObject, error: ErrorObject): boolean {
  const steps = stepsOf(error);
  const { keyword, params } = error;
  if (keyword === 'if' || keyword === 'anyOf' || keyword === 'oneOf') return cutBelow(message, steps, error);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return remove(message, [...steps, String(params['additionalProperty'] ?? params['unevaluatedProperty'])]);
  if (keyword === 'not' || keyword === 'dependencies') return cutBelow(message, steps, error);
  if (steps.length === 0) return false;
  return removeOptional(message, steps);
}

/** Of members that exclude each other, removes the last one named. */
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
  const owner = ownerOf(message, steps);
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
