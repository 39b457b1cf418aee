import { plainRequest } from '@switchyard/testing';

/** An endpoint's answer, in the same members for every protocol. */
export interface TaskResponse {
  readonly httpStatus: number;
  readonly headers: Headers;
  /** The exact text of the body. */
  readonly text: string;
  /** The task's answer, or the error: the object that contains `errors`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly errors: readonly TaskErrorShown[];
}

interface TaskErrorShown {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
}

export type EndpointName = 'REST' | 'MCP' | 'A2A';
export const endpointNames: readonly EndpointName[] = ['REST', 'MCP', 'A2A'];

export interface Send {
  readonly url: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds after which the caller disconnects. */
  readonly timeoutMs?: number;
}

/** Calls a task with the given arguments; a text is sent byte for byte. */
export async function callTask(
  endpoint: EndpointName,
  to: Send,
  task: string,
  args: string | object,
): Promise<TaskResponse> {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return post(endpoint, to, pathOf(endpoint, task), wrap(endpoint, task, text));
}

export async function post(
  endpoint: EndpointName,
  to: Send,
  path: string,
  body: string | Buffer,
): Promise<TaskResponse> {
  const { status, headers, text } = await plainRequest(to.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(to.token === undefined ? {} : { authorization: `Bearer ${to.token}` }),
      ...to.headers,
    },
    body,
    ...(to.timeoutMs === undefined ? {} : { timeoutMs: to.timeoutMs }),
  });
  const reported = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  const taken = unwrap(endpoint, reported);
  return { httpStatus: status, headers, text, body: taken, errors: errorsOf(taken) };
}

function pathOf(endpoint: EndpointName, task: string): string {
  return { REST: `/v1/tasks/${encodeURIComponent(task)}`, MCP: '/mcp', A2A: '/a2a' }[endpoint];
}

function wrap(endpoint: EndpointName, task: string, args: string): string {
  const name = JSON.stringify(task);
  switch (endpoint) {
    case 'REST':
      return args;
    case 'MCP':
      return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name},"arguments":${args}}}`;
    case 'A2A':
      return `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{"skill":${name},"parameters":${args}}}]}}}`;
  }
}

type Obj = Readonly<Record<string, unknown>>;
const object = (value: unknown): Obj => (typeof value === 'object' && value !== null ? (value as Obj) : {});
const first = (value: unknown): Obj => object(Array.isArray(value) ? value[0] : undefined);

/** Returns the content of JSON-RPC: structured content, data of an artifact or message, or `error.data`. */
function unwrap(endpoint: EndpointName, reported: Obj): Obj {
  if (endpoint === 'REST' || !('jsonrpc' in reported)) return reported;
  if ('error' in reported) return object(object(reported['error'])['data']);
  const result = object(reported['result']);
  if (endpoint === 'MCP') return object(result['structuredContent']);
  const final = first(first(result['artifacts'])['parts']);
  const interim = first(object(object(result['status'])['message'])['parts']);
  return object(final['data'] ?? interim['data']);
}

function errorsOf(body: Obj): TaskErrorShown[] {
  if (Array.isArray(body['errors'])) return body['errors'] as TaskErrorShown[];
  return 'error' in body ? [body['error'] as TaskErrorShown] : [];
}
