import { randomUUID } from 'node:crypto';
import { credentialInArgs } from '@switchyard/protocol';
import { err, isoOf, ok, type Result } from '@switchyard/values';
import { rpcCodes, rpcError, rpcFault, rpcFaultData, rpcResult } from '../http/json-rpc.js';
import type { HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { credentialBeside } from '../http/beside-arguments.js';
import { exactBelow } from '../http/read-json.js';
import { isTaskName, unknownTask } from '../tasks/listing/task-listing.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';
import { readSkillCall, type SkillCall } from './a2a-request.js';
import { testControllerTool, type TestController } from '../tasks/call/test-controller.js';
import { credentialMissing } from '../http/access/auth.js';
import { runTestController } from '../tasks/listing/run-test-controller.js';
import { isOver, writeTask, type A2aTask } from './a2a-task.js';
import { a2aCodes, type A2aCall } from './a2a-call.js';
import { readTask } from './get-task.js';

/** `message/send` and `SendMessage`: answers the task of the message, in its state at the first answer. */
export async function sendMessage(call: A2aCall, http: HttpContext): Promise<HttpAnswer> {
  const started = await startTask(call, http);
  if (!started.ok) return started.error;
  const task = writeTask(started.value, call.generation);
  return { status: 200, body: rpcResult(call.id, call.generation === '1.0' ? { task } : task) };
}

/**
 * Runs the task that a message requests. A stored operation keeps the id of our own task; an answer that was final at
 * once and is no operation is stored under a new id. Every replica can read both.
 */
export async function startTask(call: A2aCall, http: HttpContext): Promise<Result<A2aTask, HttpAnswer>> {
  const skillCall = readSkillCall(call.params);
  if (!skillCall.ok) return refusedMessage(call, skillCall.error, {});
  const { skill, args, pointer, push, taskId, fault } = skillCall.value;
  const { testController } = http;
  const isTestController = skill === testControllerTool && testController !== undefined;
  if (!isTestController && !isTaskName(skill)) return refusedMessage(call, unknownTask(skill, 'skill'), args);
  const beside = credentialBeside(call.message, pointer);
  // A credential in the arguments is the first error to report, and the task reports it.
  const isClean = beside === undefined && credentialInArgs(skill, args) === undefined;
  if (fault !== undefined && isClean) return refusedMessage(call, fault, args);
  const known = taskId === undefined || !isClean ? undefined : await openTask(call, taskId, http);
  if (known?.ok === false) return known;
  const contextId = skillCall.value.contextId ?? known?.value.contextId ?? randomUUID();
  if (isTestController)
    return runTestMessage(call, { ...skillCall.value, contextId }, { ...http, testController });
  const reply = await http.tasks.call({
    endpoint: 'a2a',
    task: skill,
    args,
    exact: exactBelow(call.exact, pointer),
    ...(beside === undefined ? {} : { credentialBeside: beside }),
    caller: call.caller,
    signal: call.signal,
    a2aContextId: contextId,
    ...(push ? { a2aPush: push, a2aGeneration: call.generation } : {}),
  });
  if (reply.httpStatus === 401) return err(unauthorizedAnswer(reply));
  const storedId = reply.taskId ?? reply.storedTaskId;
  const task: A2aTask = {
    id: storedId ?? randomUUID(),
    contextId,
    status: reply.isError && reply.status === 'completed' ? 'failed' : reply.status,
    timestamp: isoOf(http.clock.now()),
    data: reply.body,
    name: skill,
  };
  // A rate-limited request stores no row.
  if (storedId === undefined && reply.httpStatus !== 429) await keep(call, task, http);
  return ok(task);
}

/** The answer is sent even if it could not be stored: its work is done. */
async function keep({ caller }: A2aCall, task: A2aTask, http: HttpContext): Promise<void> {
  try {
    await http.answeredTasks.keep(caller, task);
  } catch (error) {
    http.onUnexpected(error, 'a2a keep');
  }
}

/** The task that a message continues: an unknown or final one accepts no message, and no new task is made silently. */
async function openTask(
  call: A2aCall,
  taskId: string,
  http: HttpContext,
): Promise<Result<A2aTask, HttpAnswer>> {
  const field = 'params.message.taskId';
  const task = await readTask(call, taskId, field, http);
  if (!task.ok || !isOver(task.value)) return task;
  const message = 'The task has ended and accepts no further message: send one without taskId.';
  const fault = { code: 'INVALID_REQUEST', message, field } as const;
  return err({ status: 200, body: rpcFault(call.id, a2aCodes.unsupportedOperation, fault) });
}

function refusedMessage(
  { id }: A2aCall,
  fault: Parameters<typeof rpcFaultData>[0],
  args: Parameters<typeof rpcFaultData>[1],
): Result<never, HttpAnswer> {
  const body = rpcError(id, rpcCodes.invalidParams, fault.message, rpcFaultData(fault, args));
  return err({ status: 200, body });
}

/** A refusal of the tool is an answer too, so its task is completed either way. */
async function runTestMessage(
  call: A2aCall,
  { skill, args, contextId, pointer }: SkillCall & { readonly contextId: string },
  http: HttpContext & { readonly testController: TestController },
): Promise<Result<A2aTask, HttpAnswer>> {
  const { caller, signal, message } = call;
  if (caller.kind === 'public') return err(credentialMissing());
  const beside = credentialBeside(message, pointer);
  const task: A2aTask = {
    id: randomUUID(),
    contextId,
    status: 'completed',
    timestamp: isoOf(http.clock.now()),
    data: await runTestController({ caller, args, signal, beside }, http),
    name: skill,
  };
  await keep(call, task, http);
  return ok(task);
}
