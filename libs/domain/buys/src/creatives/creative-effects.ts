import {
  createMediaBuy,
  prefixId,
  readCreative,
  syncCreatives,
  type PackageRequest,
  type SyncCreativesAnswer,
  type SyncedCreative,
} from '@switchyard/protocol';
import { isJsonObject } from '@switchyard/values';
import type { Leg } from '../operation.js';
import type { OperationState } from '../operation-store.js';
import { outboundOf } from '../outbound.js';
import type { AssignmentSeen, PlacementSeen, PlacementStatus } from './creative-library.js';

export interface CreativeEffects {
  readonly placements: readonly PlacementSeen[];
  readonly assignments: readonly AssignmentSeen[];
}

const none: CreativeEffects = { placements: [], assignments: [] };

/** What a changed leg says about creatives. Pure; it is written in the same commit as the leg. */
export function creativeEffects(state: OperationState, leg: Leg): CreativeEffects {
  if (leg.task === syncCreatives.name) return ofSync(leg);
  return leg.task === createMediaBuy.name && leg.status === 'completed' ? ofBuy(state, leg) : none;
}

function ofSync(leg: Leg): CreativeEffects {
  const sent = idsSent(leg);
  const seen = (status: PlacementStatus, reason?: string): CreativeEffects => ({
    placements: sent.map((creativeId) => placementOf(leg, creativeId, status, reason)),
    assignments: [],
  });
  switch (leg.status) {
    case 'completed':
      return ofAnswer(leg, sent);
    case 'failed':
    case 'rejected':
    case 'canceled':
      return seen('failed', leg.errors[0]?.message ?? `The seller says ${leg.status}.`);
    case 'submitted':
    case 'working':
    case 'input-required':
    case 'auth-required':
      return seen('pending_review', 'The seller is looking at it.');
    default:
      return none;
  }
}

function ofAnswer(leg: Leg, sent: readonly string[]): CreativeEffects {
  const read = syncCreatives.readAnswer(leg.answer ?? {}, leg.voice);
  if (!read.ok) return none;
  const answer: SyncCreativesAnswer = read.value.answer;
  const rows = new Map(answer.creatives.map((row) => [row.creativeId, row]));
  const placements = [...new Set([...sent, ...rows.keys()])].flatMap(
    (creativeId): readonly PlacementSeen[] => {
      const row = rows.get(creativeId);
      // A seller's rows about creatives that we did not send tell of what it took away, and of nothing else.
      if (row !== undefined && !sent.includes(creativeId) && row.action !== 'deleted') return [];
      return [row === undefined ? placementOf(leg, creativeId, 'processing') : seenOf(leg, row)];
    },
  );
  const refused = new Map(answer.creatives.map((row) => [row.creativeId, row]));
  const assignments = assignmentsSent(leg).flatMap(({ creativeId, packageId }): readonly AssignmentSeen[] => {
    const row = refused.get(creativeId);
    if (row?.action === 'failed' || row?.assignmentErrors[packageId] !== undefined) return [];
    return [{ ...assignmentAt(leg), creativeId, packageId: prefixId(leg.seller, packageId) }];
  });
  return { placements, assignments };
}

function seenOf(leg: Leg, row: SyncedCreative): PlacementSeen {
  const reason = row.errors[0]?.message;
  const platform = row.platformId === undefined ? {} : { platformId: row.platformId };
  if (row.action === 'failed')
    return placementOf(leg, row.creativeId, 'failed', reason ?? 'The seller refused it.');
  if (row.action === 'deleted') return placementOf(leg, row.creativeId, 'archived');
  return {
    ...placementOf(leg, row.creativeId, row.status ?? 'processing', reason),
    ...platform,
    taken: true,
  };
}

function ofBuy(state: OperationState, leg: Leg): CreativeEffects {
  const ours = state.packages.filter((item) => item.legId === leg.id && item.sellerPackageId !== undefined);
  const requested = createMediaBuyPackages(state);
  const inline = ours.flatMap(({ position }) => requested[position]?.creatives ?? []);
  const placements = inline.flatMap((value) => {
    const { creativeId } = readCreative(value, state.operation.voice.form);
    return creativeId === '' ? [] : [{ ...placementOf(leg, creativeId, 'processing'), taken: true }];
  });
  const assignments = ours.flatMap((item) => {
    const wanted = requested[item.position];
    const ids = [
      ...(wanted?.creativeIds ?? []),
      ...(wanted?.creatives ?? []).map((value) => readCreative(value, '3.1').creativeId),
    ];
    const packageId = prefixId(leg.seller, item.sellerPackageId ?? '');
    return ids
      .filter((id) => id !== '')
      .map((creativeId) => ({ ...assignmentAt(leg), creativeId, packageId }));
  });
  return { placements, assignments };
}

function createMediaBuyPackages({ operation }: OperationState): readonly PackageRequest[] {
  const read = createMediaBuy.readRequest(operation.request, operation.voice, new Map());
  return read.ok ? read.value.packages : [];
}

function placementOf(leg: Leg, creativeId: string, status: PlacementStatus, reason?: string): PlacementSeen {
  const source = leg.observedBy === 'webhook' || leg.observedBy === 'poll' ? leg.observedBy : 'inline';
  return {
    creativeId,
    connectionId: leg.connectionId,
    seller: leg.seller,
    status,
    source,
    legId: leg.id,
    operationId: leg.operationId,
    ...(reason === undefined ? {} : { reason }),
  };
}

function assignmentAt(leg: Leg): Pick<AssignmentSeen, 'seller' | 'operationId'> {
  return { seller: leg.seller, operationId: leg.operationId };
}

function idsSent(leg: Leg): readonly string[] {
  const sent = outboundOf(leg)['creatives'];
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((one) => {
    const id = isJsonObject(one) ? one['creative_id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function assignmentsSent(leg: Leg): readonly { readonly creativeId: string; readonly packageId: string }[] {
  const read = syncCreatives.readRequest(outboundOf(leg), leg.voice, new Map());
  return read.ok ? read.value.assignments : [];
}
