import { taskError, type TaskError } from '@switchyard/protocol';
import { ownReach, type Reach, type TenantScope } from '@switchyard/tenancy';
import type { CreativeOwnership } from '../model/creative-library.js';
import type { CreativeReader } from '../model/creative-ports.js';
import { isOwn, type Owners } from '../model/creative-owner.js';
import { namesAtSeller, type SellerCreativeIds, endingAt } from '../model/name-at-seller.js';
import { listedIn, type CreativesNamed } from './notify-missing-creatives.js';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ProjectLeg } from '../call/draft-leg.js';

/** What must be known about the creatives of a buy before its sellers are called. */
export interface CreativesAtSellers {
  readonly faults: readonly TaskError[];
  /** By connection. */
  readonly names: ReadonlyMap<string, SellerCreativeIds>;
}

/**
 * The ids of a buy's creatives at its sellers, and errors. An error is a creative of the organization out of
 * the caller's reach, or, over an account that another tenant may share, one that this tenant has not put
 * there. The error does not reveal whether another tenant has it. No seller is called while there are errors.
 */
export async function creativesAtSellers(
  creatives: CreativeOwnership | undefined,
  { scope, principalId, reach = ownReach(principalId) }: CreativeReader,
  named: readonly CreativesNamed[],
): Promise<CreativesAtSellers> {
  const ids = [...new Set(named.flatMap((request) => [...request.ids, ...request.brought]))];
  if (creatives === undefined || ids.length === 0) return { faults: [], names: new Map() };
  const owners = await ownersOf(creatives, scope, ids, reach);
  const connections = named.map(({ connectionId }) => connectionId);
  return {
    faults: named.flatMap((entry) => faultsOf(entry, owners)),
    names: namesAt(connections, ids, owners),
  };
}

/**
 * The ids under which sellers know the creatives of a report, by connection. A creative of another tenant
 * gets an id that no creative has there, so the seller answers as for an unknown creative.
 */
export async function reportedCreatives(
  creatives: CreativeOwnership | undefined,
  scope: TenantScope,
  connectionIds: readonly string[],
  ids: readonly string[],
): Promise<CreativesAtSellers['names']> {
  if (creatives === undefined || ids.length === 0) return new Map();
  return namesAt(connectionIds, ids, await ownersOf(creatives, scope, ids));
}

async function ownersOf(
  creatives: CreativeOwnership,
  scope: TenantScope,
  ids: readonly string[],
  reach?: Reach,
): Promise<Owners> {
  const sharedConnections = await creatives.sharedConnections(scope);
  return { sharedConnections, library: await creatives.byIds(scope, ids, reach) };
}

function namesAt(
  connectionIds: readonly string[],
  ids: readonly string[],
  owners: Owners,
): CreativesAtSellers['names'] {
  return new Map(connectionIds.map((id) => [id, namesAtSeller(ids, id, owners)]));
}

function faultsOf(named: CreativesNamed, owners: Owners): readonly TaskError[] {
  const { connectionId, seller, ids, brought } = named;
  const isShared = owners.sharedConnections?.has(connectionId) === true;
  const foreign = ids.filter(
    (id) =>
      !brought.includes(id) &&
      (owners.library.get(id)?.access === 'none' || (isShared && !isOwn(id, connectionId, owners))),
  );
  return foreign.map((id) =>
    taskError('CREATIVE_NOT_FOUND', `No creative of yours at ${seller} has the id ${id}.`, {
      field: listedIn(named),
      suggestion:
        'list_creatives shows yours: sync the creative to this seller first. Where the account is yours alone, name it ' +
        'in the connection.',
      details: { seller },
    }),
  );
}

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
