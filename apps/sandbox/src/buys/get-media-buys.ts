import type { Agent } from '../agent/agent.js';
import type { Buy, BuyPackage } from './buy.js';
import { compact, isObject, listOf, textsOf, type JsonObject } from '../json.js';
import { done, refusal, refusalBody, type Outcome } from '../agent/outcome.js';
import { showBuy } from './show-buy.js';
import { statusOf } from '../creatives/library.js';

/** The buys requested by id or by the buyer's reference; without either, those in the requested states. */
export function getMediaBuys(agent: Agent, args: JsonObject): Outcome {
  const { buys, missing } = selectBuys(agent, args, 'active');
  const activity = args['include_webhook_activity'] === true;
  const shown = buys.map((buy) => ({
    ...withApprovals(agent, buy, showBuy(agent, buy, args['include_snapshot'] === true)),
    ...(activity ? { webhook_activity: activityOf(agent, buy, args['webhook_activity_limit']) } : {}),
  }));
  return done(
    compact({
      media_buys: shown,
      errors: missing.length > 0 ? missing.map(notFound) : undefined,
    }),
  );
}

/** Only the releases show approvals of creatives, each with its package. */
function withApprovals(agent: Agent, buy: Buy, shown: JsonObject): JsonObject {
  if (agent.personality.form === 'service') return shown;
  const packages = (listOf(shown['packages']) ?? []).filter(isObject).map((item) => {
    const part = buy.packages.find(({ packageId }) => packageId === item['package_id']);
    const approvals = part === undefined ? [] : showApprovals(agent, part);
    return approvals.length === 0 ? item : { ...item, creative_approvals: approvals };
  });
  return { ...shown, packages };
}

/** `fallback` is the state to use if neither ids nor states are given; undefined means any. */
export function selectBuys(
  agent: Agent,
  args: JsonObject,
  fallback: string | undefined,
): { readonly buys: readonly Buy[]; readonly missing: readonly string[] } {
  const all = [...agent.books.buys.values()];
  const ids = textsOf(args['media_buy_ids'] ?? args['media_buy_id']);
  const refs = textsOf(args['buyer_refs'] ?? args['buyer_ref']);
  if (ids || refs) {
    const buys = all.filter(
      (buy) =>
        ids?.includes(buy.mediaBuyId) === true ||
        (buy.buyerRef !== undefined && refs?.includes(buy.buyerRef)),
    );
    const missing = (ids ?? []).filter((id) => !agent.books.buys.has(id));
    return { buys, missing };
  }
  const states = textsOf(args['status_filter']) ?? (fallback === undefined ? undefined : [fallback]);
  const open = agent.personality.form === 'service' && args['status_filter'] === undefined;
  return { buys: all.filter((buy) => open || !states || states.includes(buy.status)), missing: [] };
}

export function notFound(id: string): JsonObject {
  return refusalBody(refusal('MEDIA_BUY_NOT_FOUND', `no media buy ${id.slice(0, 64)}`, 'media_buy_ids'));
}

function activityOf(agent: Agent, buy: Buy, limit: unknown): JsonObject[] {
  const most = typeof limit === 'number' && limit >= 1 && limit <= 200 ? limit : 50;
  return agent.books.activity
    .filter(({ event }) => event.mediaBuyId === buy.mediaBuyId)
    .slice(-most)
    .reverse()
    .map(({ event, bytes, attempt }) =>
      compact({
        idempotency_key: event.key,
        notification_type: event.notificationType,
        sequence_number: event.sequence,
        fired_at: new Date(attempt.firedAt).toISOString(),
        completed_at: new Date(attempt.completedAt).toISOString(),
        attempt: attempt.attempt,
        status: attempt.status,
        url: event.url.replace(/[?#].*$/, ''),
        http_status_code: attempt.httpStatus,
        response_time_ms: attempt.completedAt - attempt.firedAt,
        payload_size_bytes: bytes,
        error_message: attempt.status === 'success' ? null : attempt.status,
      }),
    );
}

/**
 * The approvals of the creatives on one package: the library's decisions, except that the word `unfit` in a name
 * requests a creative that the library accepts and the package does not.
 */
function showApprovals(agent: Agent, part: BuyPackage): JsonObject[] {
  const held = agent.books.creatives;
  const synced = [...held.values()].filter(({ packages }) => packages.includes(part.packageId));
  const ids = new Set([...part.creativeIds, ...synced.map(({ creativeId }) => creativeId)]);
  return [...ids].map((creativeId): JsonObject => {
    const known = held.get(creativeId);
    const status = known === undefined ? 'approved' : statusOf(known, agent.now());
    const isUnfit = /unfit/i.test(known?.name ?? '');
    const reported = status === 'archived' || isUnfit ? 'rejected' : status;
    return compact({
      creative_id: creativeId,
      approval_status: reported,
      rejection_reason:
        reported !== 'rejected'
          ? undefined
          : isUnfit
            ? 'It does not fit this package.'
            : 'It breaks our rules.',
    });
  });
}
