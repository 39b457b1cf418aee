import { ApiError, errorOf, readJson } from './api-error.js';
import type { Routes } from './generated/routes.js';

/** The parts of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly signal?: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

export interface ClientOptions {
  /** Where the instance answers, for example `https://switchyard.agency.example`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. A function is asked before each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a request is sent again where that is safe; 2 unless set. */
  readonly retries?: number;
  readonly fetch?: Fetch;
  /** Waits that many milliseconds before a request is sent again. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** The name of a route: its method and its path, as in `/openapi.json`. */
export type RouteName = keyof Routes;

type Member<Route, Name extends string> = Route extends Readonly<Record<Name, infer Value>> ? Value : never;

type Given<Route, Name extends string> =
  Route extends Readonly<Record<Name, infer Value>> ? Readonly<Record<Name, Value>> : unknown;

/** What a route takes. */
export type RequestOf<Name extends RouteName> = Given<Routes[Name], 'params'> &
  Partial<Given<Routes[Name], 'query'>> &
  Given<Routes[Name], 'body'> & {
    /** Of a change: the same key for the same act. A new one is made unless set. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };

type Arguments<Name extends RouteName> = Routes[Name] extends { params: unknown } | { body: unknown }
  ? [request: RequestOf<Name>]
  : [request?: RequestOf<Name>];

/** What a route answers: also what it answers instead where somebody must approve it first, or a job does it. */
export type AnswerOf<Name extends RouteName> = Member<Routes[Name], 'answer'> | Member<Routes[Name], 'later'>;

/** Routes whose answer is one page of a list. */
export type ListName = {
  [Name in RouteName]: Member<Routes[Name], 'answer'> extends { readonly next_cursor?: string }
    ? Name
    : never;
}[RouteName];

type Rows<Answer> = {
  [Key in keyof Answer]-?: Answer[Key] extends readonly (infer Row)[] ? Row : never;
}[keyof Answer];

/** A row of such a list. */
export type RowOf<Name extends ListName> = Rows<Member<Routes[Name], 'answer'>>;

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** The body as it is sent, instead of `body`; JSON unless `contentType` says otherwise. */
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** A client of one instance. Every method rejects with `ApiError`. */
export class SwitchyardClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  /** Calls a route by its name: `call('GET /v1/sellers/{slug}', { params: { slug: 'acme' } })`. */
  call<Name extends RouteName>(name: Name, ...request: Arguments<Name>): Promise<AnswerOf<Name>>;
  async call(name: string, sent: Sent = {}): Promise<unknown> {
    const [method = '', path = ''] = name.split(' ');
    return this.send(method, addressOf(path, sent), sent);
  }

  /** The rows of a list, page after page: `for await (const seller of client.each('GET /v1/sellers', {}))`. */
  async *each<Name extends ListName>(name: Name, request: RequestOf<Name>): AsyncGenerator<RowOf<Name>> {
    const [method = '', path = ''] = name.split(' ');
    const sent: Sent = request;
    let cursor = sent.query?.['cursor'];
    do {
      const query = { ...sent.query, cursor };
      const page = await this.send(method, addressOf(path, { ...sent, query }), sent);
      const rows = Object.values(page).find((value) => Array.isArray(value)) as RowOf<Name>[] | undefined;
      yield* rows ?? [];
      const next = page['next_cursor'];
      // A page that names itself as the next one would never end.
      cursor = typeof next === 'string' && next !== cursor ? next : undefined;
    } while (cursor !== undefined);
  }

  /**
   * Sends a request to an address of this instance and reads its answer. A read, and a change under an
   * `Idempotency-Key`, is sent again if the connection breaks or the server asks to come back; a task is not, because
   * its key stands in its arguments.
   */
  async send(
    method: string,
    address: string,
    { body, bytes, contentType, idempotencyKey, signal }: Omit<Sent, 'params' | 'query'> = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const { retries = 2, token } = this.#options;
    const takesKey = method !== 'GET' && !withoutKeys.test(address);
    const shown = typeof token === 'function' ? await token() : token;
    const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = {
      accept: 'application/json',
      ...(shown !== undefined && { authorization: `Bearer ${shown}` }),
      ...(takesKey && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
      ...(content !== undefined && { 'content-type': contentType ?? 'application/json' }),
    };
    const init = {
      method,
      headers,
      ...(content !== undefined && { body: content }),
      ...(signal && { signal }),
    };
    const isSafe = method === 'GET' || takesKey;
    for (let attempt = 0; ; attempt += 1) {
      const tried = await this.#once(address, init);
      if ('answer' in tried) return tried.answer;
      const { error, waitMs } = tried;
      if (!isSafe || attempt >= retries || waitMs === undefined || signal?.aborted === true) throw error;
      await (this.#options.wait ?? pause)(waitMs);
    }
  }

  async #once(address: string, init: Parameters<Fetch>[1]): Promise<Tried> {
    const { url, fetch: ask = fetch } = this.#options;
    let status: number;
    let text: string;
    let headers: { get(name: string): string | null };
    try {
      const response = await ask(url + address, init);
      ({ status, headers } = response);
      text = await response.text();
    } catch (cause) {
      const error = new ApiError(0, 'UNREACHABLE', `Nothing answers at ${url}.`, { cause });
      return { error, waitMs: init.signal?.aborted === true ? undefined : usualWaitMs };
    }
    const answer = status < 400 ? readJson(text) : undefined;
    if (answer !== undefined) return { answer };
    const error = errorOf(status, text, headers.get('x-request-id'));
    const asked = Number(headers.get('retry-after') ?? '0') * 1000;
    const mayWork = status === 429 || status >= 502 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
    return { error, waitMs: mayWork ? waitOf(asked) : undefined };
  }
}

type Answer = Readonly<Record<string, unknown>>;

/** What was answered, or why not and after how long the same request may be answered; never if `waitMs` is undefined. */
type Tried = { readonly answer: Answer } | { readonly error: ApiError; readonly waitMs: number | undefined };

/** Tasks have their key in their arguments, and signing in has none. */
const withoutKeys = /^\/v1\/(?:tasks|session)(?:[/?]|$)/;

const usualWaitMs = 500;
const longestWaitMs = 60_000;

/** What the server asks for, up to a minute. */
const waitOf = (askedMs: number): number =>
  Number.isFinite(askedMs) && askedMs > 0 ? Math.min(askedMs, longestWaitMs) : usualWaitMs;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

function addressOf(path: string, { params = {}, query = {} }: Pick<Sent, 'params' | 'query'>): string {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return asked.length === 0 ? place : `${place}?${asked.join('&')}`;
}
