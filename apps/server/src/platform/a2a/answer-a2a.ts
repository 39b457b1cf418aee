import type { FastifyReply, FastifyRequest } from 'fastify';
import { taskTable } from '@switchyard/protocol';
import { authenticate } from '../http/access/auth.js';
import { capFor } from '../http/body-caps.js';
import { credentialBeside, credentialFault } from '../http/beside-arguments.js';
import { sendAnswer, unexpectedFault, type HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import {
  readJsonRpc,
  rpcCodes,
  rpcFault,
  rpcMalformed,
  rpcUnexpected,
  rpcRefusal,
  unknownMethod,
  type JsonRpcId,
  invalidParams,
  rpcError,
} from '../http/json-rpc.js';
import { headerValues } from '../http/raw-headers.js';
import { readJson } from '../http/read-json.js';
import { callerGone } from '../http/watch-connections.js';
import { isSpokenVersion, readMethod, type A2aMethod } from './a2a-request.js';
import { a2aCodes, type A2aCall, noTask, refusedBy, renamed } from './a2a-call.js';
import { getTask } from './get-task.js';
import { listTasks } from './list-tasks.js';
import { pushConfig } from './push-config.js';
import { sendMessage } from './send-message.js';
import { streamMessage, subscribeToTask } from './stream-task.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';

/** Answers one A2A POST. Only `Authorization` is read: the aliases of MCP do not apply. */
export async function answerA2a(
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
): Promise<void> {
  const raw = request.raw.rawHeaders;
  const caller = await authenticate(request, http);
  if (!caller.ok) return sendAnswer(reply, caller.error);
  const json = await readJson(request, capFor(caller.value));
  if (!json.ok) return sendAnswer(reply, inJsonRpc(rpcRefusal(json.error)));
  const message = readJsonRpc(json.value.value);
  if (!message.ok) return sendAnswer(reply, inJsonRpc(rpcMalformed(message.error)));
  if (message.value.kind !== 'request') return sendAnswer(reply, { status: 202 });
  const { id, method: name, params } = message.value;
  const method = readMethod(name);
  if (!method)
    return sendAnswer(reply, {
      status: 200,
      body: unknownMethod(id, 'The agent card lists what is supported.'),
    });
  if (!headerValues(raw, 'a2a-version').every(isSpokenVersion)) {
    const why = 'The supported versions of A2A are 1.0 and 0.3.';
    return sendAnswer(reply, failed(id, a2aCodes.versionNotSupported, why, 'a2a-version'));
  }
  const call: A2aCall = {
    id,
    params,
    message: json.value.value,
    generation: method.generation,
    caller: caller.value,
    exact: json.value.exact,
    signal: callerGone(reply),
  };
  try {
    const answer = await answered(method.method, call, reply, http);
    if (answer !== undefined) sendAnswer(reply, answer);
  } catch (error) {
    http.onUnexpected(error, `a2a ${method.method}`);
    // A started stream can only end.
    if (reply.sent) return void reply.raw.end();
    sendAnswer(reply, rpcUnexpected(id, unexpectedFault(error)));
  }
}

/** Faults of JSON-RPC are answers of it, with HTTP 200. Those of HTTP itself (size, media type, time) keep their status. */
function inJsonRpc(answer: HttpAnswer): HttpAnswer {
  return answer.status === 400 ? { ...answer, status: 200 } : answer;
}

/**
 * `tasks/cancel` and `CancelTask`: cancels the operation, as its owner, and answers the canceled task. If a seller
 * refused, the task continues: the error's data has the result of each part.
 */
async function cancelTask(call: A2aCall, http: HttpContext): Promise<HttpAnswer> {
  const id = call.params['id'];
  if (typeof id !== 'string' || id === '')
    return { status: 200, body: invalidParams(call.id, 'id must be a string.', 'params.id') };
  const reply = await http.tasks.call({
    endpoint: 'a2a',
    task: taskTable.cancelTask.name,
    args: { task_id: id },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.isError && (await http.answeredTasks.find(call.caller, id)) !== undefined)
    return { status: 200, body: rpcFault(call.id, a2aCodes.taskNotCancelable, over) };
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (!reply.isError && reply.body['status'] === 'canceled') return getTask(call, http);
  // By the specification, an answered task means that it was canceled; a task that continues is an error.
  if (!reply.isError)
    return { status: 200, body: rpcError(call.id, a2aCodes.taskNotCancelable, continues, reply.body) };
  if (reply.httpStatus === 404) return noTask(call);
  const why = 'The task cannot be canceled.';
  if (!reply.errors.some(({ code }) => refusals.has(code))) return refusedBy(call, reply, why, places);
  const reported = reply.errors[0]?.message ?? why;
  return {
    status: 200,
    body: rpcError(call.id, a2aCodes.taskNotCancelable, reported, renamed(reply.body, places)),
  };
}

const over = { code: 'INVALID_REQUEST', message: 'The task has ended.', field: 'params.id' } as const;

const places = { task_id: 'params.id' };

const continues = 'Not every seller canceled its part: the task continues with the others.';

/** Codes that mean the task cannot be canceled; the others mean that the request failed. */
const refusals: ReadonlySet<string> = new Set(['NOT_CANCELLABLE', 'CONFLICT', 'INVALID_STATE']);

/** The answer of a method; undefined if it answers by a stream. */
async function answered(
  method: A2aMethod,
  call: A2aCall,
  reply: FastifyReply,
  http: HttpContext,
): Promise<HttpAnswer | undefined> {
  // The task itself checks its arguments, because they have exceptions of their own.
  const calls = method === 'send' || method === 'stream';
  const beside = calls ? undefined : credentialBeside(call.message);
  if (beside !== undefined) {
    const fault = credentialFault(beside);
    return { status: 200, body: rpcFault(call.id, rpcCodes.invalidParams, fault) };
  }
  switch (method) {
    case 'send':
      return sendMessage(call, http);
    case 'stream':
      await streamMessage(call, reply, http);
      return undefined;
    case 'subscribe':
      await subscribeToTask(call, reply, http);
      return undefined;
    case 'get':
      return getTask(call, http);
    case 'cancel':
      return cancelTask(call, http);
    case 'list':
      return listTasks(call, http);
    case 'push_set':
      return pushConfig('set', call, http);
    case 'push_get':
      return pushConfig('get', call, http);
    case 'push_list':
      return pushConfig('list', call, http);
    case 'push_delete':
      return pushConfig('delete', call, http);
    case 'extended_card':
      // The card of 1.0 does not announce another one (A2A 1.0, section 3.3.4); 0.3 has a code for a missing one.
      return failed(
        call.id,
        call.generation === '1.0' ? a2aCodes.unsupportedOperation : a2aCodes.extendedCardNotConfigured,
        'The public card is complete.',
        'method',
      );
  }
}

function failed(id: JsonRpcId, code: number, message: string, field: string): HttpAnswer {
  return { status: 200, body: rpcFault(id, code, { code: 'INVALID_REQUEST', message, field }) };
}
