import type { Agent } from '../agent/agent.js';
import { objectOf, textsOf, type JsonObject } from '../json.js';
import { showCreative, statusOf } from './library.js';
import { done, refuse, type Outcome } from '../agent/outcome.js';

/** Lists this seller's library, by ids, states and pages. */
export function listCreatives(agent: Agent, args: JsonObject): Outcome {
  const filters = objectOf(args['filters']);
  const ids = textsOf(filters?.['creative_ids']);
  const statuses = textsOf(filters?.['statuses']);
  const page = objectOf(args['pagination']);
  const service = agent.personality.form === 'service';
  const limit = numberOf(page?.[service ? 'limit' : 'max_results']) ?? 50;
  const cursor = page?.['cursor'];
  const offset = service ? (numberOf(page?.['offset']) ?? 0) : cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(offset) || offset < 0)
    return refuse('INVALID_REQUEST', 'this cursor is none of ours', 'pagination.cursor');
  const found = [...agent.books.creatives.values()].filter(
    (creative) =>
      (ids === undefined || ids.includes(creative.creativeId)) &&
      (statuses === undefined
        ? creative.status !== 'archived'
        : statuses.includes(statusOf(creative, agent.now()))),
  );
  const shown = found.slice(offset, offset + limit);
  const hasMore = offset + shown.length < found.length;
  const next = hasMore ? { cursor: String(offset + limit) } : {};
  return done({
    query_summary: { total_matching: found.length, returned: shown.length },
    pagination: service
      ? { limit, offset, has_more: hasMore }
      : { has_more: hasMore, ...next, total_count: found.length },
    creatives: shown.map((creative) => showCreative(agent, creative)),
  });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
