import type { FastifyReply, FastifyRequest } from 'fastify';
import { dialects, releaseNamed, tasks, type AnyTaskSpec, type ReleaseName } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { authenticate } from '../http/access/auth.js';
import { capFor } from '../http/body-caps.js';
import { credentialBeside, credentialFault } from '../http/beside-arguments.js';
import { sendAnswer, type HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import {
  readJsonRpc,
  rpcCodes,
  rpcFault,
  rpcMalformed,
  unknownMethod,
  rpcRefusal,
  rpcResult,
  type JsonRpcMessage,
} from '../http/json-rpc.js';
import { headerValues } from '../http/raw-headers.js';
import { readJson } from '../http/read-json.js';
import { callTool, type ToolCall } from './call-tool.js';
import { answerInitialize, isKnownVersion, offered } from './initialize.js';
import {
  cacheMembers,
  isStateless,
  resultMembers,
  statelessFault,
  servedVersions,
  unsupportedVersion,
} from './stateless.js';
import { testControllerTool, testControllerWords } from '../tasks/call/test-controller.js';
import { describeTask } from '../tasks/listing/task-descriptions.js';
import { lifecycleListings, type TaskListing } from '../tasks/listing/task-listing.js';
import { hintsOf, listedInput, listedOutput } from '../tasks/listing/tool-schemas.js';

let tools: readonly object[] | undefined;

const testControllerDescription = {
  name: testControllerTool,
  title: 'Put the sandbox market into a state',
  description: testControllerWords,
  inputSchema: {
    type: 'object',
    properties: {
      scenario: { type: 'string', description: 'list_scenarios names those that are known.' },
      params: { type: 'object' },
      account: { type: 'object' },
      context: { type: 'object' },
      ext: { type: 'object' },
    },
    required: ['scenario'],
  },
  outputSchema: { type: 'object', properties: { success: { type: 'boolean' }, error: { type: 'string' } } },
  // It can cancel a media buy of the sandbox.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/** A request of MCP that was read and whose caller is known. */
export interface McpMessage {
  readonly message: McpRequest;
  /** Of the revision without a handshake. */
  readonly stateless: boolean;
  readonly about: Pick<ToolCall, 'caller' | 'exact' | 'beside' | 'version'>;
}

type McpRequest = Extract<JsonRpcMessage, { kind: 'request' }>;

/**
 * Reads one MCP POST, or answers it. Each one is authenticated separately, and its bytes are parsed strictly before they are
 * used. A request gets exactly one answer, a notification none (202).
 */
export async function readMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
): Promise<McpMessage | undefined> {
  const raw = request.raw.rawHeaders;
  const answer = (instead: HttpAnswer): undefined => {
    sendAnswer(reply, instead);
  };
  const caller = await authenticate(request, http, { aliases: true });
  if (!caller.ok) return answer(caller.error);
  const json = await readJson(request, capFor(caller.value));
  if (!json.ok) return answer(rpcRefusal(json.error));
  const message = readJsonRpc(json.value.value);
  if (!message.ok) return answer(rpcMalformed(message.error));
  if (message.value.kind !== 'request') return answer({ status: 202 });
  const stateless = isStateless(message.value, raw);
  const misfit = stateless ? statelessFault(message.value, raw) : undefined;
  if (misfit !== undefined) return answer(misfit);
  const versions = headerValues(raw, 'mcp-protocol-version');
  const strange = stateless ? undefined : versions.find((version) => !isKnownVersion(version));
  if (strange !== undefined) return answer(unsupportedVersion(message.value.id, strange));
  const { value: body, exact } = json.value;
  const pointer = message.value.method === 'tools/call' ? '/params/arguments' : undefined;
  const beside = credentialBeside(body, pointer);
  if (beside !== undefined && pointer === undefined) {
    const fault = credentialFault(beside);
    const { id } = message.value;
    return answer({ status: 200, body: rpcFault(id, rpcCodes.invalidParams, fault) });
  }
  const [version] = versions;
  const about = { caller: caller.value, exact, beside, ...(version === undefined ? {} : { version }) };
  return { message: message.value, stateless, about };
}

/** Answers one MCP POST. */
export async function answerMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
): Promise<void> {
  const read = await readMcp(request, reply, http);
  if (read === undefined) return;
  const { message, stateless, about } = read;
  const to = { reply, request, http };
  return stateless
    ? dispatchStateless(message, { ...about, members: resultMembers(http) }, to)
    : dispatch(message, about, to);
}

function dispatch(
  message: McpRequest,
  about: McpMessage['about'],
  {
    reply,
    request,
    http,
  }: { readonly reply: FastifyReply; readonly request: FastifyRequest; readonly http: HttpContext },
): Promise<void> | void {
  const { id, method, params } = message;
  const sendResult = (result: object): void =>
    sendAnswer(reply, { status: 200, body: rpcResult(id, result) });
  switch (method) {
    case 'initialize':
      return sendResult(answerInitialize(params, http, about.caller.kind === 'public'));
    case 'ping':
      return sendResult({});
    case 'tools/list':
      return sendResult(toolList(http.testController !== undefined, releaseAsked(params, request)));
    case 'tools/call':
      return callTool({ id, params, ...about }, reply, request, http);
    default:
      return sendAnswer(reply, {
        status: 200,
        body: unknownMethod(id, 'The methods are initialize, ping, tools/list and tools/call.'),
      });
  }
}

/** The same without a handshake: an unknown method has HTTP 404, and lists say how long they may be used. */
function dispatchStateless(
  message: McpRequest,
  about: Parameters<typeof dispatch>[1] & { readonly members: JsonObject },
  to: Parameters<typeof dispatch>[2],
): Promise<void> | void {
  const { id, method, params } = message;
  const { reply, request, http } = to;
  const sendResult = (result: object): void =>
    sendAnswer(reply, { status: 200, body: rpcResult(id, { ...result, ...about.members }) });
  switch (method) {
    case 'server/discover':
      return sendResult({
        supportedVersions: servedVersions,
        ...offered(http, about.caller.kind === 'public'),
        ...cacheMembers('private'),
      });
    case 'tools/list':
      return sendResult({
        ...toolList(http.testController !== undefined, releaseAsked(params, request)),
        ...cacheMembers('public'),
      });
    case 'tools/call':
      return callTool({ id, params, ...about }, reply, request, http);
    default:
      return sendAnswer(reply, {
        status: 404,
        body: unknownMethod(id, 'The methods are server/discover, tools/list and tools/call.'),
      });
  }
}

/**
 * `tools/list`: static, complete in one page. Each task is listed under one name per dialect, in a form that every MCP
 * client accepts; calls may use its other names as well.
 */
function toolList(hasTestController: boolean, release: ReleaseName | undefined): object {
  tools ??= tasks.flatMap((spec) => listedNames(spec).map((name) => toolOf(spec, name)));
  const later = release === undefined ? [] : lifecycleListings(release).map(laterTool);
  return { tools: [...tools, ...later, ...(hasTestController ? [testControllerDescription] : [])] };
}

/** The release that a client asks the list for: by a member of `_meta`, or by the address that it was set up with. */
function releaseAsked(params: JsonObject, request: FastifyRequest): ReleaseName | undefined {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const named = [dialects.adcp, dialects.ads].flatMap(({ versionField: field }) => [
    meta[field],
    query.get(field),
  ]);
  return named.map((text) => releaseNamed(text)?.name).find((name) => name !== undefined);
}

function laterTool(task: TaskListing): object {
  const { name, title, description, readOnly } = task;
  const kind = readOnly ? 'read' : 'mutation';
  return {
    ...{ name, title, description },
    inputSchema: listedInput(task.inputSchema()),
    outputSchema: listedOutput(name),
    annotations: hintsOf({ name, kind, serves: 'sales' }),
  };
}

/** The listed names of a task: model providers refuse a whole list for one name of another form. */
function listedNames({ names }: AnyTaskSpec): readonly string[] {
  const first = (all: readonly string[]) => all.find((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name));
  const listed = [first(names.ads), first(names.adcp)];
  return [...new Set(listed)].filter((name) => name !== undefined);
}

function toolOf(spec: AnyTaskSpec, name: string): object {
  return {
    name,
    ...describeTask(spec.name),
    inputSchema: listedInput(spec.inputSchema()),
    outputSchema: listedOutput(spec.name),
    annotations: hintsOf(spec),
  };
}
