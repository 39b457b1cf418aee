import {
  createMediaBuy,
  prefixId,
  syncCreatives,
  updateMediaBuy,
  type SyncCreativesAnswer,
  type SyncedCreative,
} from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { reportedOf } from '../model/outbound.js';
import { creativesOfLeg, requestedChange, idsIn, objectsIn } from '../model/creatives-of-leg.js';
import type { AssignmentSeen, PlacementSeen, PlacementStatus } from '../model/creative-library.js';
import { nameOfLocal } from '../model/name-at-seller.js';

export interface CreativeEffects {
  readonly placements: readonly PlacementSeen[];
  readonly assignments: readonly AssignmentSeen[];
  /** Packages that from now on have only the creatives in `remaining`; none for a canceled package. */
  readonly released?: readonly { readonly packageId: string; readonly remaining: readonly string[] }[];
  /** A leg that sent creatives with a buy that was not made: its claims at the seller are released. */
  readonly withdrawnBy?: string;
}

const none: CreativeEffects = { placements: [], assignments: [] };

/** Returns the effects of a changed leg on creatives. Pure; it is written in the same commit as the leg. */
export function creativeEffects(state: OperationState, leg: Leg): CreativeEffects {
  if (leg.task === syncCreatives.name) return ofSync(leg);
  if (leg.task !== createMediaBuy.name && leg.task !== updateMediaBuy.name) return none;
  if (leg.status === 'completed') return effectsOfBuy(state, leg);
  const isOver = isSettled(leg) && creativesOfLeg(leg).length > 0;
  return isOver ? { ...none, withdrawnBy: leg.id } : none;
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
      return seen('failed', leg.errors[0]?.message ?? `The seller reports ${leg.status}.`);
    case 'submitted':
    case 'working':
    case 'input-required':
    case 'auth-required':
      return seen('pending_review', 'The seller is reviewing it.');
    default:
      return none;
  }
}

function ofAnswer(leg: Leg, sent: readonly string[]): CreativeEffects {
  const read = syncCreatives.readAnswer(leg.answer ?? {}, leg.profile);
  if (!read.ok) return none;
  const answer: SyncCreativesAnswer = read.value.answer;
  const rows = new Map(answer.creatives.map((row) => [row.creativeId, row]));
  const placements = [...new Set([...sent, ...rows.keys()])].flatMap(
    (creativeId): readonly PlacementSeen[] => {
      const row = rows.get(creativeId);
      // From rows about creatives that were not sent, only deletions are applied.
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
    return placementOf(leg, row.creativeId, 'failed', reason ?? 'The seller rejected it.');
  if (row.action === 'deleted') return placementOf(leg, row.creativeId, 'archived');
  return {
    ...placementOf(leg, row.creativeId, row.status ?? 'processing', reason),
    ...platform,
    isAccepted: true,
  };
}

/** The placement of one creative that a leg reports. */
export function placementOf(
  leg: Leg,
  creativeId: string,
  status: PlacementStatus,
  reason?: string,
): PlacementSeen {
  const source = leg.observedBy === 'webhook' || leg.observedBy === 'poll' ? leg.observedBy : 'inline';
  const name = nameOfLocal(creativeId, leg.connectionId);
  return {
    creativeId,
    connectionId: leg.connectionId,
    seller: leg.seller,
    status,
    source,
    legId: leg.id,
    operationId: leg.operationId,
    ...(leg.outbound.includes(JSON.stringify(name)) ? { sellerCreativeId: name } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The seller and the operation of an assignment. */
function assignmentAt(leg: Leg): Pick<AssignmentSeen, 'seller' | 'operationId'> {
  return { seller: leg.seller, operationId: leg.operationId };
}

function idsSent(leg: Leg): readonly string[] {
  const sent = reportedOf(leg)['creatives'];
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((entry) => {
    const id = isJsonObject(entry) ? entry['creative_id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function assignmentsSent(leg: Leg): readonly { readonly creativeId: string; readonly packageId: string }[] {
  const read = syncCreatives.readRequest(reportedOf(leg), leg.profile, new Map());
  return read.ok ? read.value.assignments : [];
}

/**
 * The effects on creatives of a buy that a seller made or changed: creatives sent with a package are in the
 * seller's library, and a package has the creatives that it was sent with. They are read from the sent
 * request, because some forms cannot carry them.
 */
function effectsOfBuy(state: OperationState, leg: Leg): CreativeEffects {
  const requested = requestedChange(leg);
  const isChange = leg.sellerBuyId !== undefined;
  const packages = objectsIn(requested['packages']);
  const made = state.packages.filter((item) => item.legId === leg.id);
  const fresh = [...made].sort((one, other) => one.position - other.position);
  const added = (isChange ? objectsIn(requested['new_packages']) : packages).map((item, at) => ({
    item,
    id: fresh[at]?.sellerPackageId,
  }));
  const changed = isChange ? packages.map((item) => ({ item, id: textOf(item['package_id']) })) : [];
  const known = [...added, ...changed].flatMap(({ item, id }) =>
    id === undefined ? [] : [{ item, packageId: prefixId(leg.seller, id) }],
  );
  return {
    placements: known.flatMap(({ item }) =>
      idsIn(item['creatives']).map((id) => ({ ...placementOf(leg, id, 'processing'), isAccepted: true })),
    ),
    assignments: known.flatMap(({ item, packageId }) =>
      creativesOf(item).map((creativeId) => ({ ...assignmentAt(leg), creativeId, packageId })),
    ),
    released: isOver(requested)
      ? state.packages.flatMap(({ seller, sellerPackageId: id }) =>
          seller === leg.seller && id !== undefined
            ? [{ packageId: prefixId(seller, id), remaining: [] }]
            : [],
        )
      : known.flatMap(({ item, packageId }) => releasedBy(item, packageId)),
  };
}

/**
 * A list of ids replaces the previous one; a canceled package releases its creatives
 * (docs/protocol/media-buys.md#changes).
 */
function releasedBy(item: JsonObject, packageId: string): NonNullable<CreativeEffects['released']> {
  if (item['canceled'] === true) return [{ packageId, remaining: [] }];
  const isListed = Array.isArray(item['creative_ids']) || Array.isArray(item['creative_assignments']);
  return isListed ? [{ packageId, remaining: creativesOf(item) }] : [];
}

function isOver(requested: JsonObject): boolean {
  return requested['canceled'] === true || requested['status'] === 'canceled';
}

function creativesOf(item: JsonObject): readonly string[] {
  const named = Array.isArray(item['creative_ids']) ? item['creative_ids'] : [];
  const ids = named.filter((id) => typeof id === 'string' && id !== '') as string[];
  return [...new Set([...ids, ...idsIn(item['creative_assignments']), ...idsIn(item['creatives'])])];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
