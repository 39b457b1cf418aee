import type { JsonObject, JsonValue, Routes } from '../generated/routes.js';
import { newId } from './new-id.js';

export type { JsonObject, JsonValue, Routes };

/** A refusal of the server: the code and message of its problem details (RFC 9457), or of a task's first error. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field?: string,
    readonly suggestion?: string,
    readonly requestId?: string,
    /** Messages of the other faults of the request. */
    readonly others: readonly string[] = [],
  ) {
    super(message);
  }
}

type Member<Route, Name extends string> =
  Route extends Readonly<Record<Name, infer Value>> ? Value : undefined;
/** The parameters of a route: only its own members. */
export type Sent<Name extends keyof Routes> = {
  readonly params?: Member<Routes[Name], 'params'>;
  readonly query?: Member<Routes[Name], 'query'>;
  readonly body?: Member<Routes[Name], 'body'>;
  readonly signal?: AbortSignal;
};
/** The answer of a route. */
export type Answer<Name extends keyof Routes> = Member<Routes[Name], 'answer'>;

/** Calls a route by its name, `GET /v1/buys`. Throws `ApiFailure` for every answer that is not a success. */
export async function api<Name extends keyof Routes>(
  name: Name,
  sent: Sent<Name> = {},
): Promise<Answer<Name>> {
  const [method = 'GET', pattern = ''] = name.split(' ');
  const params = (sent.params ?? {}) as Readonly<Record<string, string>>;
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(
    (sent.query ?? {}) as Readonly<Record<string, string | undefined>>,
  ))
    if (value !== undefined && value !== '') query.set(key, value);
  const address = query.size > 0 ? `${path}?${query.toString()}` : path;
  return (await request(method, address, sent.body, sent.signal)) as Answer<Name>;
}

const whenSignedOut = new Set<() => void>();
/** Adds a listener for answers that say that the session has ended. Returns a function that removes it. */
export function onSignedOut(listener: () => void): () => void {
  whenSignedOut.add(listener);
  return () => void whenSignedOut.delete(listener);
}

/** Sends a request of this page with its cookie. Throws `ApiFailure` if there is no answer. */
export async function send(
  address: string,
  headersGiven: Readonly<Record<string, string>>,
  init: RequestInit,
): Promise<Response> {
  // Pages of other sites cannot send this header, and the cookie alone changes nothing.
  const headers = { ...headersGiven, ...(init.method !== 'GET' && { 'x-switchyard-console': '1' }) };
  const response = await fetch(address, { ...init, headers, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      const message = 'The server did not answer. Is it running? What you typed is kept.';
      throw new ApiFailure(0, 'UNREACHABLE', message);
    },
  );
  if (response.status === 401 && !address.startsWith('/v1/session'))
    for (const listener of whenSignedOut) listener();
  return response;
}

let showAgain: (() => Promise<boolean>) | undefined;
/** Sets what asks the person for a password or a factor again; it answers whether the person has shown one. */
export function askWhenNotRecent(ask: (() => Promise<boolean>) | undefined): void {
  showAgain = ask;
}

/**
 * Calls a route that is not in the generated types: the session, and routes of a newer server. Where the sign-in is not
 * recent enough for the act, the person is asked to show a factor again, and the act is repeated.
 */
export async function request(
  method: string,
  address: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<JsonValue> {
  const sent = `${method} ${address} ${JSON.stringify(body)}`;
  const key = unanswered.get(sent) ?? newId();
  if (method !== 'GET') unanswered.set(sent, key);
  const once = (): Promise<JsonValue> => requestOnce(method, address, { body, signal, key });
  try {
    const answer = await once().catch(async (error: unknown) => {
      const isOld = error instanceof ApiFailure && error.code === 'RECENT_SIGN_IN_REQUIRED';
      if (!isOld || showAgain === undefined || !(await showAgain())) throw error;
      return once();
    });
    unanswered.delete(sent);
    return answer;
  } catch (error) {
    if (!leavesOpen(error)) unanswered.delete(sent);
    throw error;
  }
}

/**
 * The keys of changes whose answer has not come, by what was sent. Whoever presses the button again sends the same key,
 * so the server does it once.
 */
const unanswered = new Map<string, string>();

/** Whether a failure leaves open if the change was done. */
function leavesOpen(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return true;
  return error.status === 0 || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
}

interface SentOnce {
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
  readonly key: string;
}

async function requestOnce(
  method: string,
  address: string,
  { body, signal, key }: SentOnce,
): Promise<JsonValue> {
  const requestId = newId();
  const headers = {
    accept: 'application/json',
    'x-request-id': requestId,
    ...(method !== 'GET' && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const response = await send(address, headers, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const json = parse(text);
  if (!response.ok) throw failureOf(response.status, json, requestId);
  if (response.status === 202 && isObject(json) && typeof json['approval_id'] === 'string') {
    const message = 'Another person must approve this first. It stands among the approvals until then.';
    throw new ApiFailure(202, 'WAITS_FOR_APPROVAL', message);
  }
  return json ?? {};
}

function parse(text: string): JsonValue | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads a refusal: problem details have the first fault in `error`, a task has it in `errors`. */
export function failureOf(status: number, json: unknown, requestId?: string): ApiFailure {
  const body = isObject(json) ? json : {};
  const listed = Array.isArray(body['errors']) ? (body['errors'] as readonly JsonValue[]) : [];
  const own = body['error'] ?? body['adcp_error'] ?? listed[0];
  const fault = isObject(own) ? own : body;
  const messages = listed.flatMap((item) => (isObject(item) ? (text(item['message']) ?? []) : []));
  return new ApiFailure(
    status,
    text(fault['code']) ?? text(body['code']) ?? `HTTP_${status}`,
    text(fault['message']) ?? text(body['detail']) ?? `The server answered with status ${status}.`,
    text(fault['field']),
    text(fault['suggestion']),
    requestId,
    messages.filter((message) => message !== text(fault['message'])),
  );
}
