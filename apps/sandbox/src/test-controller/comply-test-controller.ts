import type { Agent } from '../agent/agent.js';
import { forceCreateMediaBuyArm } from './force-arm.js';
import { objectOf, textOf, type JsonObject, listOf, sortedText } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import { simulateBudgetSpend, simulateDelivery } from './simulate-delivery.js';
import { seedCreativeFormat } from './seed-format.js';
import { unable } from '../agent/unable.js';
import { seedPricingOption, seedProduct } from './seed-product.js';
import type { SeededProduct } from '../buys/books-entry.js';
import { isOver, type Buy, type BuyStatus } from '../buys/buy.js';
import { taskEvents, startOf } from '../agent/follow-task.js';
import type { SellerTask } from '../agent/seller-task.js';
import { statusOf } from '../creatives/library.js';
import type { LibraryCreative } from '../creatives/library-creative.js';
import type { LibraryStatus } from '../creatives/library-creative.js';
import { purged, statusUpdate } from '../webhooks/notify-verdict.js';

const statuses: readonly BuyStatus[] = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'canceled',
  'rejected',
];

const mostBytes = 256 * 1024;

/** The states that a creative may be forced into from each state: those that creatives reach by themselves. */
const next: Readonly<Record<LibraryStatus, readonly LibraryStatus[]>> = {
  processing: ['pending_review', 'approved', 'rejected'],
  pending_review: ['approved', 'rejected'],
  approved: ['pending_review', 'suspended', 'rejected', 'archived'],
  suspended: ['approved', 'rejected'],
  rejected: ['processing', 'pending_review'],
  archived: ['approved'],
};

/** The scenarios of the test controller. A new one is a row here. */
const scenarios: Readonly<Record<string, (agent: Agent, params: JsonObject) => Outcome>> = {
  seed_product: (agent, params) => seeded(seedProduct(agent, params)),
  seed_pricing_option: (agent, params) => seeded(seedPricingOption(agent, params)),
  seed_creative_format: seedCreativeFormat,
  simulate_delivery: simulateDelivery,
  simulate_budget_spend: simulateBudgetSpend,
  force_media_buy_status: forceMediaBuyStatus,
  force_creative_status: forceCreativeStatus,
  force_creative_purge: forceCreativePurge,
  force_create_media_buy_arm: forceCreateMediaBuyArm,
  force_task_completion: forceTaskCompletion,
};

/**
 * Prepares an agent for conformance runners: adds products to the catalogue and figures to the books. Refusals are
 * answers of its own shape (`success: false`), as its schema in release 3.0 requires.
 */
export function complyTestController(agent: Agent, args: JsonObject): Outcome {
  const name = textOf(args['scenario']) ?? '';
  if (name === 'list_scenarios') return done({ success: true, scenarios: Object.keys(scenarios) });
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (scenario === undefined) return unable('UNKNOWN_SCENARIO', 'this agent has no such scenario');
  return scenario(agent, objectOf(args['params']) ?? {});
}

function seeded(read: SeededProduct | string): Outcome {
  return typeof read === 'string'
    ? unable('INVALID_PARAMS', read)
    : done({ success: true, message: 'It is in the catalogue.' }, { seeded: read });
}

/** Puts a buy into a state without the steps that lead there. A final state cannot be left. */
function forceMediaBuyStatus(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const wanted = statuses.find((status) => status === params['status']);
  if (wanted === undefined) return unable('INVALID_PARAMS', 'no buy is in such a state', buy.status);
  const answer = { success: true, previous_state: buy.status, current_state: wanted };
  if (wanted === buy.status) return done(answer);
  if (isOver(buy)) return unable('INVALID_TRANSITION', 'the buy is over', buy.status);
  if (wanted === 'rejected' && buy.status !== 'pending_creatives' && buy.status !== 'pending_start')
    return unable('INVALID_TRANSITION', 'a buy that has begun is not rejected any more', buy.status);
  return done(answer, { buy: { ...buy, ...changeTo(agent, buy, wanted, params) } });
}

function changeTo(agent: Agent, buy: Buy, wanted: BuyStatus, params: JsonObject): Partial<Buy> {
  const now = agent.now();
  const changed = { status: wanted, revision: buy.revision + 1, updatedAt: now };
  const reason = textOf(params['rejection_reason']);
  if (wanted === 'active')
    return {
      ...changed,
      clockFrom: buy.clockFrom ?? agent.market.now(),
      stepsDone: Math.max(buy.stepsDone, 1),
    };
  // A canceled buy still owes its final report, which needs a clock.
  if (wanted === 'canceled') return { ...changed, clockFrom: buy.clockFrom ?? agent.market.now() };
  return wanted === 'rejected' && reason !== undefined ? { ...changed, rejectionReason: reason } : changed;
}

/**
 * Ends a buy's task now, with the given result: sent unchanged to its registered addresses, and stored under the ids in
 * it, so that the buy can be read afterwards.
 */
function forceTaskCompletion(agent: Agent, params: JsonObject): Outcome {
  const task = agent.books.tasks.get(textOf(params['task_id']) ?? '');
  if (task === undefined) return unable('NOT_FOUND', 'no such task', null);
  const result = objectOf(params['result']);
  const mediaBuyId = textOf(result?.['media_buy_id']);
  const packages = listOf(result?.['packages'])?.map((item) => textOf(objectOf(item)?.['package_id']));
  const isBuy = task.taskType === 'create_media_buy' && task.buy !== undefined;
  if (!isBuy || result === undefined || mediaBuyId === undefined || packages?.includes(undefined) !== false)
    return unable('INVALID_PARAMS', 'result is what a made buy is: media_buy_id and packages with their ids');
  if (Buffer.byteLength(JSON.stringify(result)) > mostBytes)
    return unable('INVALID_PARAMS', `result has ${mostBytes} bytes at most`);
  if (task.state === 'completed' && sortedText(task.result ?? {}) === sortedText(result))
    return done({ success: true, previous_state: task.state, current_state: 'completed' });
  if (task.state === 'completed' || task.state === 'failed' || task.state === 'canceled')
    return unable('INVALID_TRANSITION', 'the task is over', task.state);
  const buy = bookedAs(agent, task.buy, mediaBuyId, packages);
  const ended = endedWith(agent, task, buy, result);
  const answer = { success: true, previous_state: task.state, current_state: 'completed' };
  return done(answer, { task: ended, buy, events: taskEvents(agent, ended) });
}

function bookedAs(
  agent: Agent,
  requested: Buy | undefined,
  mediaBuyId: string,
  ids: readonly (string | undefined)[],
): Buy {
  if (requested === undefined) throw new Error('The task of a buy holds its buy.');
  const now = agent.now();
  const packages = requested.packages.map((part, at) => ({ ...part, packageId: ids[at] ?? part.packageId }));
  return { ...requested, ...startOf(requested, agent), mediaBuyId, packages, updatedAt: now };
}

function endedWith(agent: Agent, task: SellerTask, buy: Buy, result: JsonObject): SellerTask {
  const now = agent.now();
  return {
    ...task,
    state: 'completed',
    message: 'Approved.',
    updatedAt: now,
    completedAt: now,
    steps: [],
    stepsDone: 0,
    progress: { percentage: 100, current_step: 'done', total_steps: 2 },
    buy,
    result,
  };
}

/** Puts a creative of the library into a state, with a reason if it is rejected, and notifies its registered address. */
function forceCreativeStatus(agent: Agent, params: JsonObject): Outcome {
  const wanted = textOf(params['status']);
  const id = textOf(params['creative_id']);
  if (id === undefined || wanted === undefined || !isLibraryStatus(wanted))
    return unable('INVALID_PARAMS', 'creative_id and a status that creatives have are required');
  const creative = agent.books.creatives.get(id);
  if (creative === undefined) return unable('NOT_FOUND', 'no such creative', null);
  const before = statusOf(creative, agent.now());
  const answer = { success: true, previous_state: before, current_state: wanted };
  if (before === wanted) return done(answer);
  if (!next[before].includes(wanted))
    return unable('INVALID_TRANSITION', `no creative goes from ${before} to ${wanted}`, before);
  const reason = textOf(params['rejection_reason']) ?? textOf(params['reason_detail']);
  const after = inState(agent, creative, wanted, reason);
  const events = statusUpdate(agent, { ...creative, status: before }, after);
  return done(answer, { creatives: [after], events });
}

/** Removes a creative from the library for ever, like a seller whose retention has ended. */
function forceCreativePurge(agent: Agent, params: JsonObject): Outcome {
  const id = textOf(params['creative_id']);
  if (id === undefined) return unable('INVALID_PARAMS', 'creative_id is required');
  if (params['purge_kind'] === 'hard')
    return unable('INVALID_PARAMS', 'this agent keeps a trace of what it throws away: purge_kind is soft');
  const creative = agent.books.creatives.get(id);
  if (creative === undefined) return unable('NOT_FOUND', 'no such creative', null);
  const before = statusOf(creative, agent.now());
  const answer = { success: true, previous_state: before, current_state: 'archived' };
  if (before === 'archived') return done(answer);
  const after = inState(agent, creative, 'archived', undefined);
  return done(answer, { creatives: [after], events: purged(agent, after) });
}

function inState(
  agent: Agent,
  { verdict: _decidedBefore, ...creative }: LibraryCreative,
  status: LibraryStatus,
  reason: string | undefined,
): LibraryCreative {
  const now = agent.now();
  const why = reason === undefined ? {} : { reason };
  return {
    ...creative,
    status,
    updatedAt: now,
    ...(status === 'rejected' ? { verdict: { at: now, status: 'rejected', ...why } } : {}),
  };
}

function isLibraryStatus(word: string): word is LibraryStatus {
  return Object.hasOwn(next, word);
}
