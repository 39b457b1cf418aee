import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../access/auth.js';
import { capFor } from '../body-caps.js';
import { credentialBeside, credentialFault } from '../beside-arguments.js';
import { sendAnswer } from '../door-answer.js';
import type { HttpContext } from '../http-context.js';
import {
  readJsonRpc,
  rpcCodes,
  rpcFault,
  rpcMalformed,
  unknownMethod,
  rpcRefusal,
  rpcResult,
  type JsonRpcMessage,
} from '../json-rpc.js';
import { headerValues } from '../raw-headers.js';
import { readJson } from '../read-json.js';
import { callTool, type ToolCall } from './call-tool.js';
import { answerInitialize, isKnownVersion } from './initialize.js';
import { toolList } from './tool-list.js';

/**
 * Answers one MCP POST. Each one is authenticated separately, and its bytes are parsed strictly before they are used. A
 * request gets exactly one answer, a notification none (202).
 */
export async function answerMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  doors: HttpContext,
): Promise<void> {
  const raw = request.raw.rawHeaders;
  const caller = await authenticate(request, doors, { aliases: true });
  if (!caller.ok) return sendAnswer(reply, caller.error);
  const json = await readJson(request, capFor(caller.value));
  if (!json.ok) return sendAnswer(reply, rpcRefusal(json.error));
  const message = readJsonRpc(json.value.value);
  if (!message.ok) return sendAnswer(reply, rpcMalformed(message.error));
  if (message.value.kind !== 'request') return sendAnswer(reply, { status: 202 });
  const versions = headerValues(raw, 'mcp-protocol-version');
  const strange = versions.find((version) => !isKnownVersion(version));
  if (strange !== undefined) {
    const why = 'The version in MCP-Protocol-Version is not supported.';
    const fault = { id: message.value.id, message: why, field: 'mcp-protocol-version' };
    return sendAnswer(reply, rpcMalformed(fault));
  }
  const { value: body, exact } = json.value;
  const pointer = message.value.method === 'tools/call' ? '/params/arguments' : undefined;
  const beside = credentialBeside(body, pointer);
  if (beside !== undefined && pointer === undefined) {
    const fault = credentialFault(beside);
    const { id } = message.value;
    return sendAnswer(reply, { status: 200, body: rpcFault(id, rpcCodes.invalidParams, fault) });
  }
  const [version] = versions;
  const about = { caller: caller.value, exact, beside, ...(version === undefined ? {} : { version }) };
  return dispatch(message.value, about, { reply, request, doors });
}

function dispatch(
  message: Extract<JsonRpcMessage, { kind: 'request' }>,
  about: Pick<ToolCall, 'caller' | 'exact' | 'beside' | 'version'>,
  {
    reply,
    request,
    doors,
  }: { readonly reply: FastifyReply; readonly request: FastifyRequest; readonly doors: HttpContext },
): Promise<void> | void {
  const { id, method, params } = message;
  const say = (result: object): void => sendAnswer(reply, { status: 200, body: rpcResult(id, result) });
  switch (method) {
    case 'initialize':
      return say(answerInitialize(params, doors.version));
    case 'ping':
      return say({});
    case 'tools/list':
      return say(toolList(doors.rehearsal !== undefined));
    case 'tools/call':
      return callTool({ id, params, ...about }, reply, request, doors);
    default:
      return sendAnswer(reply, {
        status: 200,
        body: unknownMethod(id, 'The methods are initialize, ping, tools/list and tools/call.'),
      });
  }
}
