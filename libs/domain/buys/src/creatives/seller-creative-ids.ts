import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ProjectLeg } from '../call/draft-leg.js';
import { endingAt, type SellerCreativeIds } from '../model/name-at-seller.js';

/** Members with free content of the buyer: they contain no ids of the library. */
const untouched: ReadonlySet<string> = new Set(['context', 'ext', 'assets']);

/**
 * Replaces the buyer's ids of creatives with those at the seller in all members of a request; returns the
 * same object where none differs.
 */
export function withSellerIds(args: JsonObject, names: SellerCreativeIds): JsonObject {
  return names.size === 0 ? args : (walked(args, (id) => names.get(id) ?? id) as JsonObject);
}

/** Wraps `project`, so that the leg names creatives by their ids at the seller. */
export function projectWithSellerIds(project: ProjectLeg, names: SellerCreativeIds = new Map()): ProjectLeg {
  return (extras, at) => {
    const projected = project(extras, at);
    return { ...projected, args: withSellerIds(projected.args, names) };
  };
}

/** The ids of creatives that a request names, in order of appearance. */
export function creativeIdsIn(args: JsonObject): readonly string[] {
  const found = new Set<string>();
  walked(args, (id) => (found.add(id), id));
  return [...found];
}

/** The local ids in a sent request, keyed by the buyer's ids. */
export function sellerIdsIn(args: JsonObject, connectionId: string): SellerCreativeIds {
  const ending = endingAt(connectionId);
  const ownIds = creativeIdsIn(args).filter((id) => id.endsWith(ending));
  return new Map(ownIds.map((name) => [name.slice(0, -ending.length), name]));
}

/** A copy of a value in which `name` replaced each id of a creative. */
function walked(value: JsonValue, name: (id: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => walked(item, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, walkedMember(key, member, name)]),
  );
}

function walkedMember(key: string, member: JsonValue, name: (id: string) => string): JsonValue {
  if (untouched.has(key)) return member;
  if (key === 'creative_id' && typeof member === 'string') return name(member);
  if (key === 'creative_ids' && Array.isArray(member))
    return member.map((id) => (typeof id === 'string' ? name(id) : id));
  // Some forms list packages by creative.
  if (key === 'assignments' && isJsonObject(member))
    return Object.fromEntries(Object.entries(member).map(([id, packages]) => [name(id), packages]));
  return walked(member, name);
}
