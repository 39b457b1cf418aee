import { randomUUID } from 'node:crypto';
import type { Agent } from './agent.js';
import type { Buy } from '../buys/buy.js';
import { objectOf, textOf, type JsonObject } from '../json.js';
import type { Outcome } from './outcome.js';
import type { SellerTask, TaskPush } from './seller-task.js';
import type { NativeCall } from './tool.js';

/** The task that a call continues: by its native task over A2A, by the conversation over MCP. */
export function waitingTask(agent: Agent, args: JsonObject, native?: NativeCall): SellerTask | undefined {
  const contextId = textOf(args['context_id']);
  return [...agent.books.tasks.values()].find(
    ({ state, question, a2a }) =>
      state === 'input-required' &&
      question !== undefined &&
      (a2a === undefined ? question.contextId === contextId : a2a.taskId === native?.task.taskId),
  );
}

/** The current request: the first one, with the answer's members added. */
export function withAnswer(task: SellerTask | undefined, args: JsonObject): JsonObject {
  if (task?.question === undefined) return args;
  const { context_id: _conversation, ...answer } = args;
  return { ...task.question.args, ...answer };
}

interface Asking {
  readonly waiting?: SellerTask | undefined;
  readonly native?: NativeCall | undefined;
  readonly pushes: readonly TaskPush[];
}

/** Requests the purchase order number of a large buy; undefined if none is needed, or it is present. */
export function queryOnce(agent: Agent, args: JsonObject, buy: Buy, of: Asking): Outcome | undefined {
  const { asksFrom } = agent.personality;
  const total = buy.packages.reduce((sum, part) => sum + Number(part.budgetMicros) / 1e6, 0);
  if (asksFrom === undefined || total < asksFrom) return undefined;
  if (/^PO-\d+$/.test(textOf(args['po_number']) ?? '')) return undefined;
  const { waiting, native, pushes } = of;
  const now = agent.now();
  const contextId = waiting?.question?.contextId ?? native?.task.contextId ?? `ctx_${randomUUID()}`;
  const taskId = waiting?.taskId ?? `task_${randomUUID().slice(0, 18)}`;
  const message =
    waiting === undefined
      ? 'A buy of this size needs a purchase order number.'
      : 'A purchase order number looks like PO-1234.';
  const body: JsonObject = {
    status: 'input-required',
    task_id: taskId,
    context_id: contextId,
    message,
    reason: 'APPROVAL_REQUIRED',
    errors: [{ code: 'INVALID_REQUEST', message, field: 'po_number', recovery: 'correctable' }],
  };
  const context = objectOf(args['context']);
  const task: SellerTask = {
    taskId,
    taskType: 'create_media_buy',
    state: 'input-required',
    message,
    createdAt: waiting?.createdAt ?? now,
    updatedAt: now,
    pushes,
    ...(context ? { context } : {}),
    steps: [],
    stepsDone: 0,
    question: { args, contextId, body },
    ...(native ? { a2a: native.task } : {}),
  };
  return { status: 'input-required', body, entry: { task } };
}
