import {
  canCarry,
  readCreative,
  type Creative,
  type PackageRequest,
  type PackageUpdate,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { ownReach } from '@switchyard/tenancy';
import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import type { BuyPlan } from '../plan/plan-buy.js';
import type { UpdatePlan } from '../plan/update-plan.js';
import type { CreativeOwnership, LibraryCreative } from '../model/creative-library.js';
import type { CreativeReader } from '../model/creative-ports.js';
import { isShown, placementAt } from '../model/creative-owner.js';
import { broughtBy } from './notify-missing-creatives.js';

type Library = ReadonlyMap<string, LibraryCreative>;
type Part = PackageRequest | PackageUpdate;

/**
 * Adds creatives of the library to the packages that name them, where the seller does not have them yet. No
 * seller has a creative before it is assigned.
 */
export async function addLibraryCreatives(
  creatives: CreativeOwnership | undefined,
  caller: CreativeReader,
  plan: BuyPlan,
): Promise<BuyPlan> {
  const library = await read(
    creatives,
    caller,
    plan.legs.flatMap(({ packages }) => packages.map(({ request }) => request)),
  );
  const legs = plan.legs.map((leg) => ({
    ...leg,
    packages: leg.packages.map((item) => ({
      ...item,
      request: bring(item.request, leg.connection, library),
    })),
  }));
  return library.size === 0 ? plan : { ...plan, legs };
}

/** Does the same for a change: packages that get other creatives, and packages that are added. */
export async function addLibraryCreativesToUpdate(
  creatives: CreativeOwnership | undefined,
  caller: CreativeReader,
  plan: UpdatePlan,
): Promise<UpdatePlan> {
  const parts = plan.changes.flatMap(({ request }) => [...request.packages, ...request.newPackages]);
  const library = await read(creatives, caller, parts);
  if (library.size === 0) return plan;
  const changes = plan.changes.map((change) => {
    const at = <One extends Part>(part: One): One => bring(part, change.connection, library);
    return {
      ...change,
      request: {
        ...change.request,
        packages: change.request.packages.map(at),
        newPackages: change.request.newPackages.map(at),
      },
      added: change.added.map((item) => ({ ...item, request: at(item.request) })),
    };
  });
  return { ...plan, changes };
}

async function read(
  creatives: CreativeOwnership | undefined,
  { scope, principalId, reach = ownReach(principalId) }: CreativeReader,
  parts: readonly Part[],
): Promise<Library> {
  const ids = [...new Set(parts.flatMap(idsNamed))];
  if (creatives === undefined || ids.length === 0) return new Map();
  return new Map([...(await creatives.byIds(scope, ids, reach))].filter(([, creative]) => isShown(creative)));
}

/**
 * Returns the package with the creatives that its seller lacks. A new package no longer names them by id, because a
 * seller may look up ids before it reads the creatives of the request. In a change the list of ids stays, because it
 * replaces the previous one. The `service` form takes either ids or creatives, so all of them are sent or none.
 */
function bring<One extends Part>(item: One, connection: Connection, library: Library): One {
  const ids = idsNamed(item);
  const inline = broughtBy(item);
  const lacking = ids.filter((id) => !inline.includes(id) && isLacking(id, connection, library));
  if (lacking.length === 0 || !takesInline(connection)) return item;
  const isOneKind = connection.form === 'service';
  const wanted = isOneKind ? ids : lacking;
  const brought = wanted.flatMap((id) => creativeFor(item, id, library));
  if (isOneKind && brought.length < ids.length) return item;
  const carried = brought.filter((creative) => canCarry(creative, connection.form));
  const isNew = 'productId' in item;
  const left = new Set(isNew || isOneKind ? carried.map(({ creativeId }) => creativeId) : []);
  return { ...without(item, left), fromLibrary: carried };
}

/** Whether the seller may not have the creative. One that is being sent may still fail. */
function isLacking(creativeId: string, { id }: Connection, library: Library): boolean {
  const known = library.get(creativeId);
  if (known === undefined || known.archivedAt !== undefined) return false;
  const placement = placementAt(creativeId, id, { library });
  return placement === undefined || ['pending', 'failed', 'archived'].includes(placement.status);
}

/** A seller gets no creatives with a package only if its capabilities say that it takes none. */
function takesInline({ capabilities }: Connection): boolean {
  const selling = capabilities?.original['media_buy'];
  const features = isJsonObject(selling) ? selling['features'] : undefined;
  return !isJsonObject(features) || features['inline_creative_management'] !== false;
}

/** The creative from the library, with the weight and the placements of its assignment in the package. */
function creativeFor({ original }: Part, id: string, library: Library): readonly Creative[] {
  const creative = library.get(id)?.creative;
  if (creative === undefined) return [];
  const { form, value } = creative.original;
  const assignment = objects(original.value['creative_assignments']).find(
    (creativeAssignment) => creativeAssignment['creative_id'] === id,
  );
  const { weight, placement_ids: placements } = assignment ?? {};
  const details = defined({ weight, placement_ids: placements });
  if (Object.keys(details).length === 0 || form === 'ours') return [creative];
  return [readCreative({ ...value, ...details }, form)];
}

function idsNamed(item: Part): readonly string[] {
  if ('productId' in item) return item.creativeIds ?? [];
  return (item.creativeAssignments ?? []).flatMap(({ creative_id: id }) =>
    typeof id === 'string' ? [id] : [],
  );
}

/** The package without these ids, in its own members and in the original request. */
function without<One extends Part>(item: One, left: ReadonlySet<string>): One {
  if (left.size === 0) return item;
  const stored = (list: readonly JsonObject[]): JsonObject[] =>
    list.filter(({ creative_id: id }) => typeof id !== 'string' || !left.has(id));
  const { creative_ids: ids, creative_assignments: assigned, ...value } = item.original.value;
  const idsKept = Array.isArray(ids) ? ids.filter((id) => typeof id !== 'string' || !left.has(id)) : [];
  const assignedKept = stored(objects(assigned));
  const original = {
    ...item.original,
    value: {
      ...value,
      ...(idsKept.length === 0 ? {} : { creative_ids: idsKept }),
      ...(assignedKept.length === 0 ? {} : { creative_assignments: assignedKept }),
    },
  };
  if ('productId' in item) {
    const { creativeIds, ...rest } = item;
    const named = (creativeIds ?? []).filter((id) => !left.has(id));
    return { ...rest, original, ...(named.length === 0 ? {} : { creativeIds: named }) } as unknown as One;
  }
  const { creativeAssignments, ...rest } = item;
  const named = stored(creativeAssignments ?? []);
  return {
    ...rest,
    original,
    ...(named.length === 0 ? {} : { creativeAssignments: named }),
  } as unknown as One;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
