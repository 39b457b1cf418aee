import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import { isOver, type Buy, type BuyPackage } from './buy.js';
import type { LibraryCreative } from '../creatives/library-creative.js';
import { compact, isObject, listOf, objectOf, textOf, type JsonObject } from '../json.js';
import { microsOf } from '../micros.js';
import { done, refusal, refuse, type Outcome, type Refusal } from '../agent/outcome.js';
import { readPackage } from './read-package.js';
import { readPush } from '../webhooks/read-webhooks.js';
import type { SellerTask, TaskPush } from '../agent/seller-task.js';
import { actionsOf, showPackage } from './show-buy.js';
import type { NativeCall } from '../agent/tool.js';

/** Changes a buy: at once, or after a person has reviewed it. An impossible change is refused at once in either case. */
export function updateMediaBuy(agent: Agent, args: JsonObject, native?: NativeCall): Outcome {
  const changed = changeBuy(agent, args);
  if (changed.status === 'failed' || agent.personality.changes === 'at-once') return changed;
  const push = readPush(agent.personality.form, args['push_notification_config']);
  if (push && 'errors' in push) return { status: 'failed', ...push };
  const now = agent.now();
  const context = objectOf(args['context']);
  const task: SellerTask = {
    taskId: `task_${randomUUID().slice(0, 18)}`,
    taskType: 'update_media_buy',
    state: 'submitted',
    message: 'Waiting for a person.',
    createdAt: now,
    updatedAt: now,
    pushes: [push, native?.push].filter((each): each is TaskPush => each !== undefined),
    ...(context ? { context } : {}),
    steps: [
      { afterMs: 1000 * agent.scale, state: 'working' },
      { afterMs: 3000 * agent.scale, state: 'completed' },
    ],
    stepsDone: 0,
    change: args,
    ...(native ? { a2a: native.task } : {}),
  };
  const body = { status: 'submitted', task_id: task.taskId, message: 'A person will look at it.' };
  return { status: 'submitted', body, entry: { task } };
}

/** Pauses, resumes, cancels; changes the end, budgets, pauses and ends of packages; adds packages. All or nothing. */
export function changeBuy(agent: Agent, args: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(args['media_buy_id']) ?? '');
  if (!buy) return refuse('MEDIA_BUY_NOT_FOUND', 'no such media buy', 'media_buy_id');
  const requested = agent.personality.form === 'service' ? (objectOf(args['updates']) ?? {}) : args;
  const action = requestedAction(requested);
  if (buy.status === 'canceled' && action === 'cancel') return refuse('NOT_CANCELLABLE', 'already canceled');
  const strange = (listOf(requested['packages']) ?? [])
    .filter(isObject)
    .findIndex(({ package_id: id }) => !buy.packages.some(({ packageId }) => packageId === id));
  if (strange >= 0)
    return refuse('PACKAGE_NOT_FOUND', 'no such package', `packages[${String(strange)}].package_id`);
  if (isOver(buy)) {
    return refuse('INVALID_STATE', `the buy is ${buy.status}`, 'media_buy_id');
  }
  if (typeof args['revision'] === 'number' && args['revision'] !== buy.revision) {
    return refuse('CONFLICT', 'the buy has changed since', 'revision', 'Read it again.');
  }
  const packages = action === 'cancel' ? { parts: buy.packages } : changedPackages(agent, buy, requested);
  if ('errors' in packages) return { status: 'failed', errors: packages.errors };
  const endTime = action === 'cancel' ? undefined : textOf(requested['end_time']);
  if (endTime !== undefined && !(Date.parse(endTime) > Date.parse(buy.startTime)))
    return refuse('INVALID_REQUEST', 'end_time must lie after the start', 'end_time');
  const updated = {
    ...begun(agent, applied(agent, buy, action), packages.parts),
    revision: buy.revision + 1,
    updatedAt: agent.now(),
    packages: packages.parts,
    ...(endTime === undefined ? {} : { endTime }),
  };
  return done(
    compact({
      media_buy_id: buy.mediaBuyId,
      buyer_ref: agent.personality.form === 'service' ? buy.buyerRef : undefined,
      ...statusOf(agent, updated),
      implementation_date: new Date(agent.now()).toISOString(),
      affected_packages: updated.packages.map((part) => showPackage(agent, part)),
    }),
    { buy: updated },
  );
}

type RequestedAction = 'pause' | 'resume' | 'cancel';

function requestedAction(args: JsonObject): RequestedAction | undefined {
  if (args['canceled'] === true || args['status'] === 'canceled') return 'cancel';
  if (args['paused'] === true || args['status'] === 'paused') return 'pause';
  if (args['paused'] === false || args['status'] === 'active') return 'resume';
  return undefined;
}

type Changed = { readonly parts: readonly BuyPackage[] } | { readonly errors: readonly Refusal[] };

/** The changed packages. An unknown or ended one refuses the whole change. */
function changedPackages(agent: Agent, buy: Buy, requested: JsonObject): Changed {
  const errors: Refusal[] = [];
  let parts = buy.packages;
  for (const [at, change] of (listOf(requested['packages']) ?? []).filter(isObject).entries()) {
    const known = parts.find((part) => part.packageId === textOf(change['package_id']));
    const field = `packages[${String(at)}].package_id`;
    if (known === undefined) continue;
    if (known.canceled === true) errors.push(refusal('INVALID_STATE', 'the package is over', field));
    else parts = parts.map((part) => (part === known ? withChange(part, change) : part));
  }
  for (const [at, value] of (listOf(requested['new_packages']) ?? []).entries()) {
    const read = readPackage(agent, value, at);
    if ('errors' in read) errors.push(...read.errors);
    else parts = [...parts, read];
  }
  return errors.length > 0 ? { errors } : { parts };
}

function withChange(part: BuyPackage, change: JsonObject): BuyPackage {
  const { budget, paused, bid_price: bid } = change;
  const micros = typeof budget === 'number' ? microsOf(budget) : undefined;
  const bidMicros = typeof bid === 'number' && part.bidMicros !== undefined ? microsOf(bid) : undefined;
  const targeting = objectOf(change['targeting_overlay']);
  const assigned = (listOf(change['creative_assignments']) ?? []).flatMap(
    (item) => textOf(objectOf(item)?.['creative_id']) ?? [],
  );
  return {
    ...part,
    ...(micros === undefined ? {} : { budgetMicros: String(micros) }),
    ...(typeof paused === 'boolean' ? { paused } : {}),
    ...(bidMicros === undefined ? {} : { bidMicros: String(bidMicros) }),
    ...(targeting === undefined ? {} : { targeting }),
    ...(assigned.length === 0 ? {} : { creativeIds: assigned }),
    ...(change['canceled'] === true ? { canceled: true } : {}),
  };
}

function applied(agent: Agent, buy: Buy, action: RequestedAction | undefined): Buy {
  const now = agent.market.now();
  const { pausedAfter, heldFrom, ...rest } = buy;
  const after = buy.clockFrom === undefined ? {} : { pausedAfter: now - buy.clockFrom };
  if (action === 'pause' && (buy.status === 'pending_creatives' || buy.status === 'pending_start'))
    return { ...rest, ...after, status: 'paused', heldFrom: buy.status };
  if (action === 'resume' && heldFrom !== undefined)
    return {
      ...rest,
      status: heldFrom,
      ...(pausedAfter === undefined ? {} : { clockFrom: now - pausedAfter }),
    };
  if (action === 'cancel') return { ...rest, status: 'canceled', clockFrom: buy.clockFrom ?? now };
  if (action === 'pause' && buy.status === 'active' && buy.clockFrom !== undefined) {
    return { ...rest, status: 'paused', pausedAfter: now - buy.clockFrom };
  }
  if (action === 'resume' && pausedAfter !== undefined) {
    return { ...rest, status: 'active', clockFrom: now - pausedAfter };
  }
  return buy;
}

/** The buys whose packages these creatives name, with the creatives added. */
export function assignedTo(agent: Agent, creatives: readonly LibraryCreative[]): readonly Buy[] {
  return [...agent.books.buys.values()].flatMap((buy): Buy[] => {
    if (isOver(buy)) return [];
    const parts = buy.packages.map((part) => {
      const added = creatives.filter(
        ({ creativeId, packages, status }) =>
          status !== 'archived' &&
          packages.includes(part.packageId) &&
          !part.creativeIds.includes(creativeId),
      );
      if (added.length === 0) return part;
      return { ...part, creativeIds: [...part.creativeIds, ...added.map(({ creativeId }) => creativeId)] };
    });
    if (parts.every((part) => buy.packages.includes(part))) return [];
    // Creatives are no term of the buy: its revision changes only with its status.
    const now = begun(agent, buy, parts);
    const revision = now.status === buy.status ? buy.revision : buy.revision + 1;
    return [{ ...now, revision, updatedAt: agent.now(), packages: parts }];
  });
}

/** A buy that waited for creatives waits for its start, once every package has some. */
function begun(agent: Agent, buy: Buy, parts: readonly BuyPackage[]): Buy {
  if (buy.status !== 'pending_creatives') return buy;
  if (parts.some((part) => part.canceled !== true && part.creativeIds.length === 0)) return buy;
  return { ...buy, status: 'pending_start', clockFrom: agent.market.now() + agent.dayMs };
}

function statusOf(agent: Agent, buy: Buy): JsonObject {
  if (agent.personality.form !== '3.1') return { status: buy.status };
  return {
    media_buy_status: buy.status,
    revision: buy.revision,
    currency: buy.currency,
    valid_actions: actionsOf(buy),
  };
}
