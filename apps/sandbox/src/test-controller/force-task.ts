import type { Agent } from '../agent/agent.js';
import type { Buy } from '../buys/buy.js';
import { taskEvents, startOf } from '../agent/follow-task.js';
import { listOf, objectOf, sortedText, textOf, type JsonObject } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import type { SellerTask } from '../agent/seller-task.js';
import { unable } from '../agent/unable.js';

const mostBytes = 256 * 1024;

/**
 * Ends a buy's task now, with the given result: sent unchanged to its registered addresses, and stored under the ids in
 * it, so that the buy can be read afterwards.
 */
export function forceTaskCompletion(agent: Agent, params: JsonObject): Outcome {
  const task = agent.books.tasks.get(textOf(params['task_id']) ?? '');
  if (task === undefined) return unable('NOT_FOUND', 'no such task', null);
  const result = objectOf(params['result']);
  const mediaBuyId = textOf(result?.['media_buy_id']);
  const packages = listOf(result?.['packages'])?.map((one) => textOf(objectOf(one)?.['package_id']));
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
  return { ...requested, ...startOf(requested, now, agent.dayMs), mediaBuyId, packages, updatedAt: now };
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
