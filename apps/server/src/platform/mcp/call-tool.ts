import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { servingTask } from '@switchyard/protocol';
import { isJsonObject, nextTurn, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Caller, SellerRow, TaskReply } from '../tasks/call/task-call.js';
import { callerGone } from '../http/watch-connections.js';
import { sendAnswer, unexpectedFault, type HttpAnswer, type HttpFault } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { EventStream } from '../http/event-stream.js';
import {
  rpcCodes,
  rpcError,
  rpcFaultData,
  rpcResult,
  rpcUnexpected,
  type JsonRpcId,
} from '../http/json-rpc.js';
import { exactBelow } from '../http/read-json.js';
import { isTaskName, unknownTask } from '../tasks/listing/task-listing.js';
import { testControllerTool, type TestController } from '../tasks/call/test-controller.js';
import { credentialMissing } from '../http/access/auth.js';
import { runTestController } from '../tasks/listing/run-test-controller.js';
import { hasStructuredContent, signInWords } from './initialize.js';
import { sellersMembers, summarizeAnswer } from '../tasks/answer/summarize-answer.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';

export interface ToolCall {
  readonly id: JsonRpcId;
  readonly params: JsonObject;
  readonly caller: Caller;
  readonly exact: ReadonlyMap<string, string>;
  /** Where the message holds a credential outside the arguments, if it does. */
  readonly beside: string | undefined;
  /** The MCP version that the client sent, if it sent one. */
  readonly version?: string;
  /** Members of every result in the client's version, beside those of the tool. */
  readonly members?: JsonObject;
}

/**
 * `tools/call`. With a progress token the answer is a stream that reports each seller as it settles, and the result
 * comes last; without one it is plain JSON (docs/protocol/requests-and-versions.md#transports).
 */
export async function callTool(
  call: ToolCall,
  reply: FastifyReply,
  request: FastifyRequest,
  http: HttpContext,
): Promise<void> {
  const name = call.params['name'];
  const { testController } = http;
  if (name === testControllerTool && testController !== undefined)
    return sendAnswer(reply, await runTestTool(call, { ...http, testController }, callerGone(reply)));
  if (typeof name !== 'string' || !isTaskName(name)) {
    const isNamed = typeof name === 'string' && name !== '';
    const fault = isNamed ? unknownTask(name, 'params.name') : noName;
    const body = rpcError(
      call.id,
      rpcCodes.invalidParams,
      fault.message,
      rpcFaultData(fault, call.params['arguments']),
    );
    return sendAnswer(reply, { status: 200, body });
  }
  const token = progressTokenOf(call.params);
  const streams = token !== undefined && acceptsStream(request);
  const stream = streams ? new EventStream(reply) : undefined;
  const answer = await answerOf(name, call, stream && token !== undefined ? { stream, token } : undefined, {
    http,
    signal: callerGone(reply),
  });
  if (answer.instead) return sendAnswer(reply, answer.instead);
  if (!stream) return sendAnswer(reply, { status: 200, body: answer.text });
  stream.send(answer.text, 'message');
  stream.end();
}

const noName: HttpFault = {
  code: 'INVALID_REQUEST',
  message: 'The name of a tool must be a string.',
  field: 'params.name',
  suggestion: 'tools/list has the names.',
};

async function runTestTool(
  { id, params, caller, beside, version, members }: ToolCall,
  http: HttpContext & { readonly testController: TestController },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  if (caller.kind === 'public') return credentialMissing();
  const body = await runTestController({ caller, args: params['arguments'] ?? {}, signal, beside }, http);
  const [text = ''] = textsOf(testControllerTool, body, version, http);
  return {
    status: 200,
    body: rpcResult(id, {
      content: [{ type: 'text', text }],
      structuredContent: body,
      ...(body['success'] === true ? {} : { isError: true }),
      ...members,
    }),
  };
}

interface ToolAnswer {
  readonly text: string;
  /** The answer in place of a result, if the HTTP status must show the error. */
  readonly instead?: HttpAnswer;
}

async function answerOf(
  task: string,
  call: ToolCall,
  progress: { readonly stream: EventStream; readonly token: string | number } | undefined,
  { http, signal }: { readonly http: HttpContext; readonly signal: AbortSignal },
): Promise<ToolAnswer> {
  try {
    const received = await http.tasks.call({
      endpoint: 'mcp',
      task,
      args: call.params['arguments'] ?? {},
      exact: exactBelow(call.exact, '/params/arguments'),
      ...(call.beside === undefined ? {} : { credentialBeside: call.beside }),
      caller: call.caller,
      signal,
      ...(progress ? { onSeller: announce(progress.stream, progress.token) } : {}),
    });
    const opened = progress?.stream.opened ?? false;
    const texts = textsOf(task, received.body, call.version, http);
    const signIn = call.caller.kind === 'public' && servingTask(task)?.access === 'limited';
    const text = await toolResult(call, received, signIn ? [...texts, signInWords(http)] : texts);
    return received.httpStatus === 401 && !opened
      ? { text, instead: unauthorizedAnswer(received) }
      : { text };
  } catch (error) {
    http.onUnexpected(error, `mcp ${task}`);
    const answer = rpcUnexpected(call.id, unexpectedFault(error), call.params['arguments']);
    const text = JSON.stringify(answer.body);
    return answer.status === 503 && progress?.stream.opened !== true ? { text, instead: answer } : { text };
  }
}

function announce(stream: EventStream, progressToken: string | number) {
  return (row: SellerRow, settled: number, total: number): void => {
    const message = `${row.seller}: ${row.status}${row.items > 0 ? `, ${row.items} items` : ''} (${row.elapsed_ms} ms)`;
    const params = { progressToken, progress: settled, total, message };
    stream.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }), 'message');
  };
}

/** For a longer body, in characters, each pass over it runs in a turn of the event loop of its own. */
const longBody = 500_000;

async function toolResult(
  { id, members = {} }: Pick<ToolCall, 'id' | 'members'>,
  reply: TaskReply,
  texts: readonly string[],
): Promise<string> {
  const body = JSON.stringify(reply.body);
  if (body.length > longBody) await nextTurn();
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })));
  if (body.length > longBody) await nextTurn();
  const failed = reply.isError ? ',"isError":true' : '';
  const beside = Object.entries(members).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const result = `{"content":${content},"structuredContent":${body}${failed}${beside.join('')}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/**
 * The texts beside the structured content: a summary, since a model that gets both reads everything twice. Clients of a
 * version without structured content get the JSON, and so does everybody if the setting selects it; which of it is text
 * of sellers stands in a text of its own, so that the first one can be parsed.
 */
function textsOf(
  task: string,
  body: JsonObject,
  version: string | undefined,
  { mcpText }: Pick<HttpContext, 'mcpText'>,
): readonly string[] {
  const readsStructure = version === undefined || hasStructuredContent(version);
  return mcpText === 'json' || !readsStructure
    ? [JSON.stringify(body), sellersMembers]
    : [summarizeAnswer(task, body, randomBytes(9).toString('base64url'))];
}

function progressTokenOf(params: JsonObject): string | number | undefined {
  const meta: JsonValue | undefined = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

function acceptsStream(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '*/*';
  return accept.includes('text/event-stream') || accept.includes('*/*');
}
