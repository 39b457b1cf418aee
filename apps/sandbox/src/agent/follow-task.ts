import type { Activation } from '../buys/books-entry.js';
import type { Agent } from './agent.js';
import { showCreatedBuy } from '../buys/show-buy.js';
import { deliver } from '../delivery/deliver.js';
import { envelopeEvent } from '../webhooks/envelope.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { nativeEvent } from './native-task.js';
import { statusOf } from '../creatives/library.js';
import type { LibraryCreative } from '../creatives/library-creative.js';
import type { OutEvent } from '../webhooks/out-event.js';
import { refusalBody } from './outcome.js';
import type { SellerTask } from './seller-task.js';
import { changeBuy } from '../buys/update-media-buy.js';
import { deploymentOf, targetKey } from '../signals/show-signal.js';

/** Moves a task through its steps on the wall clock and notifies its addresses. Resumable: the books store the step. */
export function followTask(agent: Agent, task: SellerTask): void {
  const step = task.steps[task.stepsDone];
  if (!step) return;
  agent.agenda.at(task.createdAt + step.afterMs, () => {
    if (agent.books.tasks.get(task.taskId) !== task) return;
    const next = step.state === 'working' ? workOn(agent, task) : complete(agent, task);
    const events = taskEvents(agent, next.task);
    const buy = next.task.state === 'completed' ? next.task.buy : undefined;
    agent.books.write({
      task: next.task,
      events,
      ...(buy ? { buy } : {}),
      ...(next.activations ? { activations: next.activations } : {}),
      ...(next.creatives ? { creatives: next.creatives } : {}),
    });
    for (const event of events) agent.outbox.send(event);
    if (buy) deliver(agent, buy);
    followTask(agent, next.task);
  });
}

interface Moved {
  readonly task: SellerTask;
  readonly creatives?: readonly LibraryCreative[];
  readonly activations?: readonly Activation[];
}

function workOn(agent: Agent, task: SellerTask): Moved {
  return {
    task: {
      ...task,
      state: 'working',
      message: 'A person is looking at it.',
      updatedAt: agent.now(),
      stepsDone: task.stepsDone + 1,
      progress: { percentage: 50, current_step: 'review', total_steps: 2 },
    },
  };
}

function complete(agent: Agent, task: SellerTask): Moved {
  const now = agent.now();
  const done = {
    ...task,
    state: 'completed' as const,
    message: 'Approved.',
    updatedAt: now,
    completedAt: now,
    stepsDone: task.stepsDone + 1,
    progress: { percentage: 100, current_step: 'done', total_steps: 2 },
  };
  if (task.activation) return completeActivation(agent, done, task.activation);
  if (task.creatives) return completeReview(agent, done, task.creatives);
  if (task.change) return completeChange(agent, done, task.change);
  if (task.search) {
    const result = compact({ ...releaseStatus(agent), ...task.search, context: task.context });
    return { task: { ...done, message: 'Found.', result } };
  }
  if (!task.buy) return { task: done };
  // The buyer may have canceled meanwhile: the state in the books is used, not that of the request.
  const requested = agent.books.buys.get(task.buy.mediaBuyId) ?? task.buy;
  const alive = requested.status !== 'canceled';
  const buy = alive ? { ...requested, ...startOf(requested, agent), updatedAt: now } : requested;
  const result = compact({ ...showCreatedBuy(agent, buy), context: task.context });
  return { task: { ...done, buy, result } };
}

/** The buy may have changed meanwhile: a change that is refused now ends the task as failed. */
function completeChange(agent: Agent, task: SellerTask, args: JsonObject): Moved {
  const changed = changeBuy(agent, args);
  if (changed.status === 'failed') {
    const result = compact({ errors: changed.errors.map(refusalBody), context: task.context });
    return { task: { ...task, state: 'failed', message: 'It cannot be done any more.', result } };
  }
  const result = compact({ ...releaseStatus(agent), ...changed.body, context: task.context });
  const buy = changed.entry?.buy;
  return { task: { ...task, result, ...(buy === undefined ? {} : { buy }) } };
}

/** When an approved buy begins: once its creatives exist and its start has come. */
export function startOf(
  buy: NonNullable<SellerTask['buy']>,
  { dayMs, market, ...agent }: Pick<Agent, 'dayMs' | 'market' | 'now'>,
): { status: 'active' | 'pending_start' | 'pending_creatives'; clockFrom?: number; stepsDone: number } {
  if (buy.packages.some((part) => part.creativeIds.length === 0)) {
    return { status: 'pending_creatives', stepsDone: 0 };
  }
  const waits = Date.parse(buy.startTime) > agent.now();
  return {
    status: waits ? 'pending_start' : 'active',
    clockFrom: market.now() + (waits ? dayMs : 0),
    stepsDone: waits ? 0 : 1,
  };
}

/** The answer has the current verdicts of the library about its creatives. */
function completeReview(
  agent: Agent,
  task: SellerTask,
  { ids, rows }: NonNullable<SellerTask['creatives']>,
): Moved {
  const now = agent.now();
  const creatives = ids.flatMap((id) => {
    const creative = agent.books.creatives.get(id);
    if (creative?.status !== 'pending_review') return [];
    return [{ ...creative, status: creative.verdict?.status ?? ('approved' as const), updatedAt: now }];
  });
  const decided = new Map(
    ids.flatMap((id) => {
      const creative = agent.books.creatives.get(id);
      return creative === undefined || creative.status === 'archived'
        ? []
        : [[id, statusOf(creative, now)] as const];
    }),
  );
  const hasStatus = agent.personality.form === '3.1';
  const shown = rows.map((row): JsonObject => {
    const status = decided.get(textOf(row['creative_id']) ?? '');
    return status === undefined || !hasStatus ? row : { ...row, status };
  });
  const result = compact({ ...releaseStatus(agent), creatives: shown, context: task.context });
  return { task: { ...task, message: 'Looked at.', result }, creatives };
}

function completeActivation(
  agent: Agent,
  task: SellerTask,
  { segmentId, targets }: NonNullable<SellerTask['activation']>,
): Moved {
  const deployedAt = new Date(agent.now()).toISOString();
  const activations = targets.map((target): Activation => {
    const known = agent.books.activation(segmentId, targetKey(target));
    // A signal that was deactivated meanwhile stays deactivated.
    return known?.takenBack ? known : { segmentId, target: targetKey(target), live: true, deployedAt };
  });
  const deployments = targets.map((target, index) => deploymentOf(segmentId, target, activations[index]));
  return {
    task: { ...task, message: 'The signal is live.', result: { ...releaseStatus(agent), deployments } },
    activations,
  };
}

/** A 3.1 answer contains its status, also inside a webhook. */
function releaseStatus(agent: Agent): JsonObject {
  return agent.personality.form === '3.1' ? { status: 'completed' } : {};
}

/** The webhooks about a task's current state. */
export function taskEvents(agent: Agent, task: SellerTask): readonly OutEvent[] {
  const result: JsonObject | undefined =
    task.state === 'completed' || task.state === 'failed' ? task.result : compact({ ...task.progress });
  return task.pushes.map((push) => {
    if (push.channel === 'native') return nativeEvent(agent, task, push);
    return envelopeEvent(agent, {
      url: push.url,
      stream: `task ${task.taskId} ${push.url}`,
      operationId: push.operationId,
      token: push.token,
      secret: push.secret,
      taskId: task.taskId,
      taskType: task.taskType,
      status: task.state,
      message: task.message,
      result,
      context: task.context,
      notificationType: task.state,
      ...(task.buy ? { mediaBuyId: task.buy.mediaBuyId } : {}),
    });
  });
}
