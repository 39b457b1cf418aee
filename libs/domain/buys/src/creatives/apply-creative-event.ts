import { readCreativeStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import type { CreativeStore, PlacementSeen } from '../model/creative-library.js';
import { withBuyerIds } from '../model/buyer-creative-ids.js';
import { isCreativeMove } from './creative-states.js';

/** The outcome of a message about a creative. */
type CreativeEventOutcome =
  | 'applied'
  | 'stale'
  | 'unknown_creative'
  | 'illegal_transition'
  | 'unreadable_creative_event';

/**
 * Applies `creative.status_changed` or `creative.purged` of a seller to the creative's status at that seller
 * (docs/protocol/creatives.md#events).
 *
 * The creative must be one that was sent over this connection: a seller that names another one gets no
 * information and changes nothing. An illegal transition is refused and quarantined.
 */
export async function applyCreativeEvent(
  creatives: CreativeStore,
  scope: TenantScope,
  { connectionId, receivedAt }: { readonly connectionId: string; readonly receivedAt: Instant },
  payload: JsonObject,
): Promise<CreativeEventOutcome> {
  const name = payload['creative_id'];
  if (typeof name !== 'string') return 'unreadable_creative_event';
  const creativeId = withBuyerIds(name, connectionId);
  const step = stepOf(withBuyerIds(payload, connectionId));
  if (step === undefined) return 'unreadable_creative_event';
  const library = await creatives.byIds(scope, [creativeId]);
  const placement = library
    .get(creativeId)
    ?.placements.find(
      (candidate) =>
        candidate.connectionId === connectionId &&
        (candidate.sellerCreativeId ?? candidate.creativeId) === name,
    );
  if (placement === undefined) return 'unknown_creative';
  if (step.from !== undefined && step.from !== step.to && !isCreativeMove(step.from, step.to))
    return 'illegal_transition';
  const observedAt = Math.min(step.observedAt ?? receivedAt, receivedAt);
  if (placement.observedAt !== undefined && placement.observedAt > observedAt) return 'stale';
  const seen: PlacementSeen = {
    creativeId,
    connectionId,
    seller: placement.seller,
    status: step.to,
    source: 'webhook',
    ...defined({ reason: step.reason, reasonCode: step.reasonCode }),
  };
  return (await creatives.observe(scope, [seen], observedAt)) > 0 ? 'applied' : 'stale';
}

interface Step {
  readonly from?: NonNullable<ReturnType<typeof readCreativeStatus>>;
  readonly to: NonNullable<ReturnType<typeof readCreativeStatus>>;
  readonly observedAt?: Instant;
  readonly reason?: string;
  readonly reasonCode?: string;
}

function stepOf(payload: JsonObject): Step | undefined {
  if (payload['notification_type'] === 'creative.purged') {
    const purgedAt = instantOf(payload['purged_at'] ?? payload['fired_at']);
    return { to: 'archived', reason: 'The seller deleted it.', ...purgedAt };
  }
  const transition = payload['transition'];
  if (!isJsonObject(transition)) return undefined;
  const to = readCreativeStatus(transition['to']);
  if (to === undefined) return undefined;
  const from = readCreativeStatus(transition['from']);
  const code = payload['reason_code'];
  const detail = payload['reason_detail'] ?? code;
  return {
    to,
    ...(from === undefined ? {} : { from }),
    ...(typeof detail === 'string' ? { reason: detail.slice(0, 2_000) } : {}),
    ...(typeof code === 'string' ? { reasonCode: code } : {}),
    ...instantOf(transition['observed_at'] ?? payload['fired_at']),
  };
}

function instantOf(value: unknown): { readonly observedAt?: Instant } {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? {} : { observedAt: time };
}
