import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import { type TaskStatus, isTerminal, readTaskStatus } from '../entities/task/task-status.js';
import type { TaskView } from '../entities/task/task-view.js';
import { inOlderTask } from '../releases/release-3.2/sellers/older-answers.js';
import { readErrors } from '../errors/read-errors.js';
import type { SellerReply } from '../errors/seller-reply.js';
import { booleanAt, member, textAt } from './pick.js';

/** The A2A task around the payload. Its ids are not the protocol's `task_id`. */
interface A2aReply {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: string;
}

const maxMessage = 2_000;

/** Per task, members that mark a success: one is enough. */
const successMembers: Readonly<Record<string, readonly string[]>> = {
  get_products: ['products', 'unchanged'],
  get_signals: ['signals', 'unchanged'],
  list_creative_formats: ['formats'],
  sync_creatives: ['creatives'],
  list_creatives: ['creatives'],
  create_media_buy: ['media_buy_id'],
  update_media_buy: ['media_buy_id'],
  get_media_buys: ['media_buys'],
  get_media_buy_delivery: ['media_buy_deliveries', 'delivery'],
  activate_signal: ['deployments'],
  list_authorized_properties: ['publisher_domains'],
  provide_performance_feedback: ['success'],
  report_usage: ['accepted'],
  list_accounts: ['accounts'],
  sync_accounts: ['accounts'],
  list_tasks: ['tasks'],
  get_ads_capabilities: ['ads', 'adcp', 'supported_protocols', 'request_signing'],
  get_adcp_capabilities: ['ads', 'adcp', 'supported_protocols', 'request_signing'],
};

/**
 * Reads one answer of a seller.
 *
 * `status` means the task in some forms and the media buy in others. An answer with the requested content has
 * succeeded, even with `errors` beside it. The asynchronous answer of `service` (`media_buy_id`, `status: pending`,
 * `task_id`) is a submitted task (docs/protocol/requests-and-versions.md#status-words).
 */
export function readReply(task: string, said: JsonObject, isError: boolean, a2a?: A2aReply): SellerReply {
  const payload = inOlderTask(task, said);
  const status = statusOf(task, payload, isError, readTaskStatus(a2a?.state));
  const message = textAt(payload, 'message');
  return {
    status,
    payload,
    replayed: booleanAt(payload, 'replayed') === true,
    errors: errorsFor(status, payload),
    ...defined({
      taskId: textAt(payload, 'task_id'),
      contextId: textAt(payload, 'context_id') ?? a2a?.contextId,
      message: message === undefined ? undefined : bounded(message),
    }),
  };
}

/** A poll as if it were the answer: with its result where the task has ended. */
export function replyOfTask(task: string, view: TaskView): SellerReply {
  const { status, result, error } = view;
  if (status === 'completed' && result !== undefined) {
    const reply = readReply(task, result, false);
    return isTerminal(reply.status) ? reply : { ...reply, status: 'completed', errors: [] };
  }
  const payload = { ...(isTerminal(status) ? {} : wordsOf(view)), ...result };
  const received = error === undefined ? [] : [error];
  return {
    status,
    taskId: view.taskId,
    payload,
    replayed: false,
    errors: received.length > 0 && hasErrors(status) ? received : errorsFor(status, payload),
    ...defined({ message: view.message === undefined ? undefined : bounded(view.message) }),
  };
}

/** The progress in a poll, as a seller writes it beside its own answer. */
function wordsOf({ message, progress }: TaskView): JsonObject {
  return defined({
    message,
    percentage: progress?.percentage,
    current_step: progress?.currentStep,
    total_steps: progress?.totalSteps,
    step_number: progress?.stepNumber,
  });
}

/** Reads the progress of unfinished work: percentage, and text cut to the length of a row. */
export function readProgressWords(payload: JsonObject): {
  readonly percentage?: number;
  readonly text?: string;
} {
  const beside = member(payload, 'progress');
  const places = isJsonObject(beside) ? [payload, beside] : [payload];
  const percentage = places
    .map((place) => member(place, 'percentage'))
    .find((value) => typeof value === 'number' && value >= 0 && value <= 100);
  const texts = places.flatMap((place) => [textAt(place, 'current_step'), textAt(place, 'message')]);
  const reported = [...new Set(texts)].filter((text) => text !== undefined && text !== '');
  return defined({
    percentage: typeof percentage === 'number' ? percentage : undefined,
    text: reported.length === 0 ? undefined : reported.join(': ').slice(0, 500),
  });
}

function statusOf(
  task: string,
  payload: JsonObject,
  isError: boolean,
  a2aStatus: TaskStatus | undefined,
): TaskStatus {
  const word = task === 'get_task' || task === 'tasks/get' ? undefined : member(payload, 'status');
  const received = readTaskStatus(word);
  const isPending = word === 'pending' && textAt(payload, 'task_id') !== undefined;
  if (isPending && !isError) return 'submitted';
  if (hasSuccess(task, payload)) return successStatus(payload, received);
  if (received !== undefined && received !== 'completed')
    return isError && !isTerminal(received) ? 'failed' : received;
  if (isError || readErrors(payload).length > 0) return 'failed';
  return received ?? a2aStatus ?? 'completed';
}

/**
 * Status of a successful answer. An open task stays open: ids before the approval are provisional. `completed`,
 * `canceled` and `rejected` mean the task beside a `media_buy_status`, else the buy.
 */
function successStatus(payload: JsonObject, received: TaskStatus | undefined): TaskStatus {
  if (received === undefined || received === 'unknown') return 'completed';
  if (!isTerminal(received)) return received;
  return member(payload, 'media_buy_status') === undefined ? 'completed' : received;
}

function hasSuccess(task: string, payload: JsonObject): boolean {
  const members = Object.hasOwn(successMembers, task) ? (successMembers[task] ?? []) : [];
  return members.some((name) => {
    const value = member(payload, name);
    return value !== undefined && value !== null;
  });
}

function hasErrors(status: TaskStatus): boolean {
  return status === 'failed' || status === 'rejected' || status === 'input-required';
}

function errorsFor(status: TaskStatus, payload: JsonObject): readonly TaskError[] {
  if (!hasErrors(status)) return [];
  const result = member(payload, 'result');
  const errors = [...readErrors(payload), ...(isJsonObject(result) ? readErrors(result) : [])];
  if (errors.length > 0 || status === 'input-required') return errors;
  const message = textAt(payload, 'message');
  const text = message === undefined ? 'The seller gave no reason.' : bounded(message);
  return [
    taskError('SERVICE_UNAVAILABLE', text, { recovery: status === 'rejected' ? 'correctable' : 'transient' }),
  ];
}

function bounded(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage)}...` : text;
}
