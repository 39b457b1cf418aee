import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { without, numberAt, objectAt, objectsAt, textAt } from '../../../message/pick.js';
import { same } from '../compact/keep.js';

const around = ['status', 'context', 'ext', 'replayed', 'errors', 'warnings', 'message', 'task_id'];

/**
 * An answer of a lifecycle task in the shape of the older task that it stands for. Any other payload, and one of a refusal or
 * of work under way, stays as it is.
 */
export function inOlderShape(payload: JsonObject): JsonObject {
  const { status } = payload;
  if (status === 'failed' || status === 'submitted') return payload;
  if (payload['outcome'] === 'listed') return listedAnswer(payload);
  if (payload['outcome'] === 'proposed' || payload['outcome'] === 'products_available')
    return proposedAnswer(payload);
  if (payload['outcome'] === 'rejected') return { ...same(payload, around), products: [], proposals: [] };
  if (payload['purchase_bindings'] !== undefined) return boughtAnswer(payload);
  if (payload['affected_package_ids'] !== undefined || isControl(payload)) return controlledAnswer(payload);
  return payload;
}

/** Its shape is closed, and an older answer to a change has the packages that it changed. */
function isControl(payload: JsonObject): boolean {
  const older = ['packages', 'affected_packages', 'media_buys', 'media_buy_deliveries'];
  return (
    payload['media_buy_id'] !== undefined &&
    payload['warnings'] !== undefined &&
    older.every((name) => payload[name] === undefined)
  );
}

function listedAnswer(payload: JsonObject): JsonObject {
  const cursor = textAt(payload, 'next_cursor');
  return {
    ...same(payload, ['products', 'incomplete', 'cache_scope', 'pricing_version', ...around]),
    ...defined({ wholesale_feed_version: textAt(payload, 'feed_version') }),
    pagination: cursor === undefined ? { has_more: false } : { has_more: true, cursor },
  };
}

function proposedAnswer(payload: JsonObject): JsonObject {
  return {
    ...same(payload, ['incomplete', ...around]),
    products: [...objectsAt(payload, 'products')],
    proposals: objectsAt(payload, 'proposals').map(olderProposal),
  };
}

/** A proposal with shares in place of terms: what each purchase is of the total. */
export function olderProposal(proposal: JsonObject): JsonObject {
  const terms = objectAt(proposal, 'commercial_terms');
  const purchases = objectsAt(terms, 'purchases');
  const total = objectAt(terms, 'total_budget');
  const whole = numberAt(total, 'amount') ?? sumOf(purchases);
  const guidance =
    total === undefined
      ? undefined
      : { recommended: total['amount'] ?? 0, currency: total['currency'] ?? 'USD' };
  return defined({
    ...same(proposal, ['proposal_id', 'name', 'description', 'brief_alignment', 'proposal_status']),
    ...same(proposal, ['expires_at', 'insertion_order', 'forecast']),
    total_budget_guidance: objectAt(proposal, 'total_budget_guidance') ?? guidance,
    allocations: purchases.map((purchase) =>
      defined({
        ...same(purchase, ['product_id', 'pricing_option_id', 'start_time', 'end_time']),
        allocation_percentage: shareOf(purchase, purchases.length, whole),
      }),
    ),
  });
}

function sumOf(purchases: readonly JsonObject[]): number | undefined {
  const budgets = purchases.map((purchase) => numberAt(purchase, 'budget'));
  return budgets.includes(undefined) ? undefined : budgets.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** Percent; undefined where the seller does not say it. */
function shareOf(purchase: JsonObject, count: number, whole: number | undefined): number | undefined {
  if (count === 1) return 100;
  const own = numberAt(purchase, 'budget');
  if (own === undefined || whole === undefined || whole <= 0) return undefined;
  return Math.round((own / whole) * 10_000) / 100;
}

function boughtAnswer(payload: JsonObject): JsonObject {
  const purchases = objectsAt(
    objectAt(objectAt(payload, 'accepted_proposal'), 'commercial_terms'),
    'purchases',
  );
  return {
    ...same(payload, ['media_buy_id', 'revision', 'media_buy_status', 'confirmed_at', ...around]),
    packages: objectsAt(payload, 'purchase_bindings').map((binding) => ({
      ...same(purchases[numberAt(binding, 'purchase_index') ?? -1] ?? {}, purchaseMembers),
      ...same(binding, ['package_id', 'product_id']),
    })),
    ...actionsOf(payload),
  };
}

const purchaseMembers = [
  ...['pricing_option_id', 'budget', 'targeting_overlay', 'impressions', 'context', 'start_time', 'end_time'],
];

function controlledAnswer(payload: JsonObject): JsonObject {
  const ids = payload['affected_package_ids'];
  return {
    ...same(payload, ['media_buy_id', 'revision', 'media_buy_status', 'implementation_date', ...around]),
    ...(Array.isArray(ids) ? { affected_packages: ids.map((id: JsonValue) => ({ package_id: id })) } : {}),
    ...actionsOf(payload),
  };
}

function actionsOf(payload: JsonObject): JsonObject {
  const listed = payload['available_actions'];
  if (!Array.isArray(listed)) return {};
  return { available_actions: listed.filter(isJsonObject).map((action) => without(action, ['task'])) };
}

const stoodFor = new Set(['get_products', 'create_media_buy', 'update_media_buy']);

/** The answer of a lifecycle task as one of the older task for which it was asked: also one that came later. */
export function inOlderTask(task: string, payload: JsonObject): JsonObject {
  return stoodFor.has(task) ? inOlderShape(payload) : payload;
}
