import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { member } from '../message/pick.js';
import type { Instead, ItemRule, MemberRules } from './release.js';

/** Members whose content belongs to whoever wrote it, in every release. */
const opaque: ReadonlySet<string> = new Set(['ext', 'context']);

interface Taken {
  /** The same object if nothing was taken. */
  readonly value: JsonObject;
  /** Paths of what was taken, with `[]` for lists, each once. */
  readonly paths: readonly string[];
}

/** A message without the members and values of the rules. The message itself is not changed. */
export function takeOut(message: JsonObject, rules: readonly MemberRules[]): Taken {
  const index = indexOf(rules);
  if (index.size === 0) return { value: message, paths: [] };
  const paths = new Set<string>();
  const value = objectWithout(message, '', { index, paths });
  return { value, paths: [...paths] };
}

/** The paths at which a message has members of these patterns. */
export function pathsOf(message: JsonObject, patterns: readonly string[]): readonly string[] {
  return takeOut(message, [{ added: patterns }]).paths;
}

/**
 * A message with the members of these patterns as another one has them, where it lacks them: at the same place, and in lists
 * of the same length at the same index.
 */
export function putBack(message: JsonObject, other: JsonObject, patterns: readonly string[]): Taken {
  const paths = new Set<string>();
  const merge = (object: JsonObject, source: JsonObject, at: string): JsonObject => {
    let copy: Record<string, JsonValue> | undefined;
    for (const [name, value] of Object.entries(source)) {
      if (opaque.has(name)) continue;
      const path = at === '' ? name : `${at}.${name}`;
      const known = member(object, name);
      const next =
        known === undefined && patterns.some((pattern) => fits(pattern, path))
          ? value
          : inner(known, value, path);
      if (next === undefined || next === known) continue;
      if (known === undefined) paths.add(path);
      copy ??= { ...object };
      copy[name] = known === undefined ? structuredClone(next) : next;
    }
    return copy ?? object;
  };
  const inner = (known: JsonValue | undefined, value: JsonValue, path: string): JsonValue | undefined => {
    if (isJsonObject(known) && isJsonObject(value)) return merge(known, value, path);
    if (!Array.isArray(known) || !Array.isArray(value) || known.length !== value.length) return known;
    const items = known.map((item, index) => {
      const source = value[index];
      return isJsonObject(item) && isJsonObject(source) ? merge(item, source, `${path}[]`) : item;
    });
    return items.every((item, index) => item === known[index]) ? known : items;
  };
  return { value: patterns.length === 0 ? message : merge(message, other, ''), paths: [...paths] };
}

interface Walk {
  readonly index: Index;
  readonly paths: Set<string>;
}

function objectWithout(object: JsonObject, at: string, walk: Walk): JsonObject {
  let copy: Record<string, JsonValue> | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name];
    const named = walk.index.get(name);
    // Most members are plain and no rule names them: they cost nothing here.
    if (value === undefined || (named === undefined && (typeof value !== 'object' || value === null)))
      continue;
    if (opaque.has(name)) continue;
    const path = at === '' ? name : `${at}.${name}`;
    const kept = memberWithout(named, value, path, walk);
    if (kept === value) continue;
    copy ??= { ...object };
    if (kept === undefined) Reflect.deleteProperty(copy, name);
    else copy[name] = kept;
  }
  return copy ?? object;
}

function memberWithout(
  named: readonly Rule[] | undefined,
  value: JsonValue,
  path: string,
  walk: Walk,
): JsonValue | undefined {
  const rules = named?.filter((rule) => fits(rule.pattern, path)) ?? [];
  if (rules.length === 0) {
    if (Array.isArray(value)) return itemsWithout(value, `${path}[]`, walk);
    return isJsonObject(value) ? objectWithout(value, path, walk) : value;
  }
  if (rules.some(({ values, item }) => values === undefined && item === undefined)) {
    walk.paths.add(path);
    return undefined;
  }
  const left = new Set(rules.flatMap(({ values }) => values ?? []));
  const unfit = rules.flatMap(({ item }) => item ?? []);
  const instead = rules.find((rule) => rule.instead !== undefined)?.instead;
  if (typeof value === 'string' && left.has(value)) {
    walk.paths.add(path);
    return insteadOf(value, instead);
  }
  if (Array.isArray(value)) {
    const kept = listWithout(value, `${path}[]`, { ...walk, left, unfit });
    if (kept !== undefined) return kept;
    const other = insteadOf(value[0], instead) ?? rules.find(({ refill }) => refill !== undefined)?.refill;
    return other === undefined ? undefined : [other];
  }
  return isJsonObject(value) ? objectWithout(value, path, walk) : value;
}

function insteadOf(value: JsonValue | undefined, instead: Instead | undefined): string | undefined {
  if (typeof instead !== 'object') return instead;
  return typeof value === 'string' ? instead[value] : undefined;
}

function listWithout(
  list: readonly JsonValue[],
  path: string,
  walk: Walk & { readonly left: ReadonlySet<string>; readonly unfit: readonly ItemRule[] },
): JsonValue | undefined {
  const kept = list.filter((item) =>
    isJsonObject(item)
      ? !walk.unfit.some((rule) => isUnfit(item, rule))
      : typeof item !== 'string' || !walk.left.has(item),
  );
  if (kept.length < list.length) walk.paths.add(path.slice(0, -2));
  // No release allows an empty list where it has a closed one.
  if (kept.length === 0 && list.length > 0) return undefined;
  return itemsWithout(kept.length === list.length ? list : kept, path, walk);
}

/** The items of a list without what the rules mean inside them; the same list if they mean nothing there. */
function itemsWithout(list: readonly JsonValue[], path: string, walk: Walk): JsonValue {
  let copy: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    const kept = isJsonObject(item) ? objectWithout(item, path, walk) : item;
    if (kept === item) continue;
    copy ??= [...list];
    copy[index] = kept;
  }
  return copy ?? (list as JsonValue);
}

/** Whether a rule means this item. */
function isUnfit(item: JsonObject, { member: path, values }: ItemRule): boolean {
  const found = valuesAt(item, path.split('.'));
  if (values === undefined) return found.includes(undefined);
  return found.some((value) => typeof value === 'string' && values.includes(value));
}

/** All values at a path; `undefined` for each place that has none. */
function valuesAt(
  value: JsonValue | undefined,
  [name, ...rest]: readonly string[],
): readonly (JsonValue | undefined)[] {
  if (name === undefined) return [value];
  if (!isJsonObject(value)) return [];
  const isList = name.endsWith('[]');
  const inner = member(value, isList ? name.slice(0, -2) : name);
  if (!isList) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((item) => valuesAt(item, rest)) : [];
}

interface Rule {
  readonly pattern: string;
  readonly values?: readonly string[];
  readonly item?: ItemRule;
  readonly instead?: Instead;
  readonly refill?: JsonObject;
}

/** Rules by the last name of their pattern; made once for each list of rules. */
type Index = ReadonlyMap<string, readonly Rule[]>;

const indexes = new WeakMap<readonly MemberRules[], Index>();

function indexOf(rules: readonly MemberRules[]): Index {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const index = new Map<string, Rule[]>();
  const add = (rule: Rule): void => {
    const last = rule.pattern.slice(rule.pattern.lastIndexOf('.') + 1);
    index.set(last, [...(index.get(last) ?? []), rule]);
  };
  for (const { added = [], binding = [], values = {}, items = {}, instead = {}, refill = {} } of rules) {
    for (const pattern of [...added, ...binding]) add({ pattern });
    for (const [pattern, names] of Object.entries(values))
      add({
        pattern,
        values: names,
        ...(instead[pattern] === undefined ? {} : { instead: instead[pattern] }),
      });
    for (const [pattern, item] of Object.entries(items))
      add({ pattern, item, ...(refill[pattern] === undefined ? {} : { refill: refill[pattern] }) });
  }
  indexes.set(rules, index);
  return index;
}

function fits(pattern: string, path: string): boolean {
  if (!pattern.startsWith('..')) return pattern === path;
  const end = pattern.slice(2);
  return path === end || path.endsWith(`.${end}`);
}
