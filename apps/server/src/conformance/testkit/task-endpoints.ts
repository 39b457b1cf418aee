import { plainRequest } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';

export const coveredEndpoints = ['mcp', 'a2a', 'rest'] as const;
export type CoveredEndpoint = (typeof coveredEndpoints)[number];

/** Calls a task over HTTP, without a credential if there is no token. Returns the answer without its envelope. */
export async function callAtEndpoint(
  endpoint: CoveredEndpoint,
  at: { readonly url: string; readonly token?: string },
  task: string,
  args: JsonObject,
): Promise<JsonObject> {
  const [path, body] = wrapped(endpoint, task, args);
  const { text } = await plainRequest(at.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(at.token === undefined ? {} : { authorization: `Bearer ${at.token}` }),
    },
    body: JSON.stringify(body),
  });
  return unwrapped(endpoint, JSON.parse(text) as JsonObject);
}

function wrapped(endpoint: CoveredEndpoint, task: string, args: JsonObject): readonly [string, JsonObject] {
  if (endpoint === 'rest') return [`/v1/tasks/${encodeURIComponent(task)}`, args];
  if (endpoint === 'mcp')
    return ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: task, arguments: args } }];
  const parts = [{ kind: 'data', data: { skill: task, parameters: args } }];
  const message = { kind: 'message', messageId: 'm', role: 'user', parts };
  return ['/a2a', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }];
}

function unwrapped(endpoint: CoveredEndpoint, reported: JsonObject): JsonObject {
  if (endpoint === 'rest' || !('jsonrpc' in reported)) return reported;
  const failed = at(reported, 'error', 'data');
  if (failed !== undefined) return failed;
  if (endpoint === 'mcp') return at(reported, 'result', 'structuredContent') ?? reported;
  return (
    at(reported, 'result', 'artifacts', 0, 'parts', 0, 'data') ??
    at(reported, 'result', 'status', 'message', 'parts', 0, 'data') ??
    reported
  );
}

function at(value: unknown, ...path: readonly (string | number)[]): JsonObject | undefined {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step];
    else if (isJsonObject(here) && typeof step === 'string') here = here[step];
    else return undefined;
  }
  return isJsonObject(here) ? here : undefined;
}
