import {
  syncCreatives as task,
  taskError,
  prefixId,
  type CreativeAction,
  type CreativeAtSeller,
  type CreativeStatus,
  type PackageApproval,
  type SyncCreativesAnswer,
  type SyncedCreative,
} from '@switchyard/protocol';
import { defined, isJsonObject, isoOf } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { creativeEffects } from './creative-effects.js';
import type {
  AssignmentSeen,
  CreativeNotes,
  PlacementSeen,
  PlacementStatus,
} from '../model/creative-library.js';
import { rollUpCreative, stateOnPackage } from './creative-states.js';

/**
 * The answer to a sync at all its sellers: one row per creative, with its status at each seller. Findings on
 * a seller are on its leg, as in every operation; this answer contains only the others.
 */
export function syncAnswer(state: OperationState): SyncCreativesAnswer {
  const notes = notesOf(state);
  const legs = state.legs.map((leg) => readLeg(state, leg));
  const rows = notes.creatives.map((note): SyncedCreative => {
    const at = legs.filter((leg) => leg.creatives.has(note.creativeId));
    const reported = at.flatMap((leg) => leg.rows.get(note.creativeId) ?? []);
    const sellers = at
      .map((leg) => leg.creatives.get(note.creativeId))
      .filter((creative) => creative !== undefined);
    const isRefused = at.length > 0 && sellers.every(({ status }) => status === 'not_synced');
    const action: CreativeAction = isRefused ? 'failed' : note.action;
    const refusals = sellers.flatMap(({ seller, status, reason }) => {
      if (status === 'rejected') return [{ seller, reason: reason ?? 'The seller rejected it.' }];
      return status === 'not_synced' && reason !== undefined ? [{ seller, reason }] : [];
    });
    const errors = refusals.map(({ seller, reason }) =>
      taskError('CREATIVE_REJECTED', reason, { details: { seller } }),
    );
    return {
      creativeId: note.creativeId,
      action,
      status: rollUpCreative(
        at.map((leg) => leg.states.get(note.creativeId) ?? 'pending'),
        false,
      ),
      changes: [...new Set(reported.flatMap(({ changes }) => changes))],
      errors: isRefused ? errors : [],
      warnings: [
        ...note.warnings,
        ...(isRefused ? [] : refusals.map(({ seller, reason }) => `${seller}: ${reason}`)),
        ...reported.flatMap(({ warnings }) => warnings),
      ],
      assignedTo: at.flatMap((leg) => leg.assigned.get(note.creativeId) ?? []),
      assignmentErrors: { ...note.assignmentErrors, ...mergedErrors(at, note.creativeId) },
      sellers,
    };
  });
  return {
    dryRun: false,
    creatives: [...rows, ...notes.archived.map((creativeId) => deletedRow(creativeId, legs))],
    findings: notes.findings,
  };
}

interface ReadLeg {
  readonly seller: string;
  readonly rows: ReadonlyMap<string, SyncedCreative>;
  readonly states: ReadonlyMap<string, PlacementStatus>;
  readonly creatives: ReadonlyMap<string, CreativeAtSeller>;
  readonly assigned: ReadonlyMap<string, readonly string[]>;
}

function readLeg(state: OperationState, leg: Leg): ReadLeg {
  const read = leg.status === 'completed' ? task.readAnswer(leg.answer ?? {}, leg.profile) : undefined;
  const rows = new Map(
    read?.ok === true ? read.value.answer.creatives.map((row) => [row.creativeId, row]) : [],
  );
  const effects = creativeEffects(state, leg);
  const states = new Map(effects.placements.map((seen) => [seen.creativeId, seen.status]));
  const asOf = leg.observedAt === undefined ? {} : { asOf: isoOf(leg.observedAt) };
  const creatives = new Map(
    effects.placements.map((placement): [string, CreativeAtSeller] => {
      const action = rows.get(placement.creativeId)?.action;
      return [
        placement.creativeId,
        {
          seller: leg.seller,
          status: shownStatus(placement.status),
          ...defined({ action, reason: placement.reason }),
          ...asOf,
          ...packagesOf(leg, placement, {
            row: rows.get(placement.creativeId),
            assignments: effects.assignments,
            asOf,
          }),
        },
      ];
    }),
  );
  const assigned = new Map<string, string[]>();
  for (const { creativeId, packageId } of effects.assignments)
    assigned.set(creativeId, [...(assigned.get(creativeId) ?? []), packageId]);
  return { seller: leg.seller, rows, states, creatives, assigned };
}

/** The seller's approval of the creative on each package it was assigned to. */
function packagesOf(
  { seller }: Leg,
  { creativeId, status, reason }: PlacementSeen,
  {
    row,
    assignments,
    asOf,
  }: {
    readonly row: SyncedCreative | undefined;
    readonly assignments: readonly AssignmentSeen[];
    readonly asOf: { readonly asOf?: string };
  },
): { readonly packages?: readonly PackageApproval[] } {
  const taken = assignments
    .filter((assignment) => assignment.creativeId === creativeId)
    .map(({ packageId }) => ({ packageId, ...stateOnPackage(status, reason), ...asOf }));
  const refused = Object.entries(row?.assignmentErrors ?? {}).map(([id, why]) => ({
    packageId: prefixId(seller, id),
    status: 'rejected' as const,
    reason: why,
    ...asOf,
  }));
  return taken.length + refused.length === 0 ? {} : { packages: [...taken, ...refused] };
}

/** A creative that a seller does not have is `not_synced`. */
export function shownStatus(status: PlacementStatus): CreativeStatus | 'not_synced' {
  return status === 'pending' || status === 'failed' ? 'not_synced' : status;
}

function mergedErrors(legs: readonly ReadLeg[], creativeId: string): Readonly<Record<string, string>> {
  const entries = legs.flatMap((leg) =>
    Object.entries(leg.rows.get(creativeId)?.assignmentErrors ?? {}).map(
      ([id, message]): [string, string] => [prefixId(leg.seller, id), message],
    ),
  );
  return Object.fromEntries(entries);
}

function deletedRow(creativeId: string, legs: readonly ReadLeg[]): SyncedCreative {
  const sellers = legs.flatMap((leg) => leg.creatives.get(creativeId) ?? []);
  const plain = { changes: [], errors: [], warnings: [], assignedTo: [], assignmentErrors: {} };
  return { creativeId, action: 'deleted', ...plain, sellers };
}

/** The notes that the plan stored with its operation. A plan of another shape is read as empty. */
function notesOf({ operation }: OperationState): CreativeNotes {
  const { plan } = operation;
  if (!isJsonObject(plan) || !Array.isArray(plan['creatives']))
    return { creatives: [], findings: [], archived: [] };
  return plan as unknown as CreativeNotes;
}
