import {
  canCarry,
  taskError,
  type Creative,
  type CreativeAction,
  type CreativeAssignment,
  type Finding,
  type SyncCreativesRequest,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { creativeHash } from '../model/creatives-of-leg.js';
import type {
  AssignablePackage,
  CreativeNotes,
  LibraryCreative,
  Placement,
} from '../model/creative-library.js';
import { creativeTaken, isHeld, isShown } from '../model/creative-owner.js';
import { namesAtSeller, type SellerCreativeIds } from '../model/name-at-seller.js';

/** The input of a plan. */
export interface CreativeKnowledge {
  readonly connections: readonly Connection[];
  readonly library: ReadonlyMap<string, LibraryCreative>;
  readonly packages: ReadonlyMap<string, AssignablePackage>;
  /** Ids of the library that are not archived, and accepted placements; read only for `delete_missing`. */
  readonly active: readonly string[];
  readonly accepted: readonly Placement[];
  /** Ids of connections whose account another tenant may share; absent: none. */
  readonly sharedConnections?: ReadonlySet<string>;
}

export interface CreativeLeg {
  readonly connection: Connection;
  readonly creatives: readonly Creative[];
  /** With the seller's own package ids. */
  readonly assignments: readonly CreativeAssignment[];
  /** The ids at the seller that differ from the buyer's own. */
  readonly names: SellerCreativeIds;
  /** Ids of this organization's creatives at the seller that the request omits. */
  readonly missing: readonly string[];
}

export interface CreativePlan {
  readonly creatives: readonly Creative[];
  readonly legs: readonly CreativeLeg[];
  readonly notes: CreativeNotes;
}

type Note = CreativeNotes['findings'][number];

/**
 * Decides which creative is sent to which seller, before any seller is called.
 *
 * A creative is sent to the sellers of the packages it is assigned to, to those that the request names
 * (`ext.switchyard.sellers`), and, when it changes, to those that have it. It may be unreleased work, so
 * taking its format is not enough. A creative for no seller stays in the library with a finding, and is sent
 * with its first assignment.
 */
export function planCreatives(
  request: SyncCreativesRequest,
  known: CreativeKnowledge,
): Result<CreativePlan, readonly TaskError[]> {
  const only = request.creativeIds === undefined ? undefined : new Set(request.creativeIds);
  const creatives = request.creatives.filter(({ creativeId }) => only?.has(creativeId) ?? true);
  const byId = new Map(creatives.map((creative) => [creative.creativeId, creative]));
  const faults: { readonly creativeId: string; readonly packageId: string; readonly error: TaskError }[] = [];
  const routed: { readonly assignment: CreativeAssignment; readonly to: AssignablePackage }[] = [];
  request.assignments.forEach((assignment, at) => {
    const { creativeId, packageId } = assignment;
    const to = known.packages.get(packageId);
    if (to === undefined) faults.push({ creativeId, packageId, error: noPackage(at) });
    else if (!byId.has(creativeId) && !isShown(known.library.get(creativeId)))
      faults.push({ creativeId, packageId, error: noCreative(at) });
    else routed.push({ assignment, to });
  });
  const others = creatives.flatMap(({ creativeId }) =>
    known.library.get(creativeId)?.access === undefined ? [] : [notYours(creativeId, request)],
  );
  if (others.length > 0) return err(others);
  if (request.validationMode === 'strict' && faults.length > 0) return err(faults.map(({ error }) => error));
  const named = request.sellers ?? [];
  const unknown = named.flatMap((slug, at) =>
    known.connections.some((connection) => connection.slug === slug) ? [] : [noSeller(at)],
  );
  if (unknown.length > 0) return err(unknown);

  const findings: Note[] = [];
  const legs = known.connections.flatMap((connection): readonly CreativeLeg[] => {
    const mine = routed.filter(({ to }) => to.connectionId === connection.id);
    const wanted = creativesFor(connection, creatives, { mine, named, known });
    const carried = wanted.filter((creative) => canCarry(creative, connection.form));
    for (const { creativeId } of wanted.filter((creative) => !carried.includes(creative)))
      findings.push(leftOut(creativeId, connection.slug));
    const missing = request.deleteMissing
      ? known.accepted
          .filter((placement) => placement.connectionId === connection.id && !byId.has(placement.creativeId))
          .map((placement) => placement.creativeId)
      : [];
    if (carried.length === 0 && missing.length === 0) return [];
    const sent = new Set(carried.map(({ creativeId }) => creativeId));
    const assignments = mine
      .filter(({ assignment }) => sent.has(assignment.creativeId))
      .map(({ assignment, to }) => ({ ...assignment, packageId: to.sellerPackageId }));
    return [
      {
        connection,
        creatives: carried,
        assignments,
        missing,
        names: namesAtSeller(sent, connection.id, known),
      },
    ];
  });
  for (const creative of creatives) {
    const isSent = legs.some((leg) => leg.creatives.includes(creative));
    if (!isSent) findings.push(noTaker(creative.creativeId));
  }
  return ok({ creatives, legs, notes: notesOf(request, creatives, { faults, findings, known }) });
}

function creativesFor(
  connection: Connection,
  creatives: readonly Creative[],
  {
    mine,
    named,
    known,
  }: {
    readonly mine: readonly { readonly assignment: CreativeAssignment }[];
    readonly named: readonly string[];
    readonly known: CreativeKnowledge;
  },
): readonly Creative[] {
  const assigned = new Set(mine.map(({ assignment }) => assignment.creativeId));
  const isNamed = named.includes(connection.slug);
  const isSent = ({ creativeId }: Creative): boolean =>
    isNamed || assigned.has(creativeId) || isHeld(creativeId, connection.id, known);
  const sent = new Set(creatives.map(({ creativeId }) => creativeId));
  const fromLibrary = [...assigned].flatMap((id) =>
    sent.has(id) ? [] : (known.library.get(id)?.creative ?? []),
  );
  return [...creatives.filter(isSent), ...fromLibrary];
}

function notesOf(
  request: SyncCreativesRequest,
  creatives: readonly Creative[],
  {
    faults,
    findings,
    known,
  }: {
    readonly faults: readonly {
      readonly creativeId: string;
      readonly packageId: string;
      readonly error: TaskError;
    }[];
    readonly findings: readonly Note[];
    readonly known: CreativeKnowledge;
  },
): CreativeNotes {
  const sent = new Set(creatives.map(({ creativeId }) => creativeId));
  const rows = creatives.map((creative) => {
    const before = known.library.get(creative.creativeId);
    const isSame = before?.bodyHash === creativeHash(creative) && before.archivedAt === undefined;
    const action: CreativeAction = before === undefined ? 'created' : isSame ? 'unchanged' : 'updated';
    const mine = faults.filter((fault) => fault.creativeId === creative.creativeId);
    return {
      creativeId: creative.creativeId,
      action,
      warnings: findings.filter(({ field }) => field === creative.creativeId).map(({ message }) => message),
      assignmentErrors: Object.fromEntries(mine.map(({ packageId, error }) => [packageId, error.message])),
    };
  });
  const others = faults.filter(({ creativeId }) => !sent.has(creativeId));
  const lost = others.map(({ error }): Note => ({ code: error.code, message: error.message }));
  const archived = request.deleteMissing ? known.active.filter((id) => !sent.has(id)) : [];
  return { creatives: rows, findings: [...findings, ...lost], archived };
}

function noPackage(at: number): TaskError {
  return taskError('PACKAGE_NOT_FOUND', 'You have no package with this id.', {
    field: `assignments[${at}].package_id`,
    suggestion: 'Use the package id as get_media_buys returned it, with the prefix of its seller.',
  });
}

function noCreative(at: number): TaskError {
  return taskError('REFERENCE_NOT_FOUND', 'You have no creative with this id.', {
    field: `assignments[${at}].creative_id`,
    suggestion: 'Send the creative in the same request, or sync it first.',
  });
}

/** Another principal of the organization uploaded it: replacing it needs the permission in its scope. */
function notYours(creativeId: string, { creatives }: SyncCreativesRequest): TaskError {
  const at = creatives.findIndex((creative) => creative.creativeId === creativeId);
  return creativeTaken(creativeId, `creatives[${at}].creative_id`);
}

function noSeller(at: number): TaskError {
  return taskError('AGENT_NOT_FOUND', 'You have no live seller with this name.', {
    field: `ext.switchyard.sellers[${at}]`,
    suggestion: 'Use the name before the colon in the ids of its products.',
  });
}

function leftOut(creativeId: string, seller: string): Finding & { readonly seller: string } {
  const message = `The seller ${seller} has a protocol version without kinds of formats, and the creative has no format_id.`;
  return { code: 'CREATIVE_LEFT_OUT', message, field: creativeId, seller };
}

function noTaker(creativeId: string): Finding {
  const message =
    'Nothing assigns it to a seller: it is in the library alone, and is sent with the first assignment to a package. ' +
    'To send it before, name sellers in ext.switchyard.sellers.';
  return { code: 'CREATIVE_WITHOUT_SELLER', message, field: creativeId };
}
