import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { bytesOf, eventsOf, exchange, type Exchange, type ServerEvent } from './http-exchange.js';
import { ApiError, SwitchyardClient, type Fetch, type Routes } from '@switchyard/client';
import type { CliFailure } from './outcome.js';
import { queryOf } from './query-of.js';

interface TaskAnswer {
  readonly body: JsonObject;
  readonly failed: boolean;
}

type Reads = { [Key in keyof Routes as Key extends `GET ${infer Path}` ? Path : never]: Routes[Key] };

/** Path of a route that answers JSON, in OpenAPI syntax. */
type ReadPath = {
  [Path in keyof Reads]: Reads[Path] extends { answer: unknown } ? Path : never;
}[keyof Reads];

/** The answer of a route, as the server describes it. */
type AnswerOf<Path extends ReadPath> = Reads[Path] extends { answer: infer Answer } ? Answer : never;

/** The parameters of its address. */
type ReadRequest<Path extends ReadPath> = (Reads[Path] extends { params: infer Params }
  ? { readonly params: Params }
  : { readonly params?: never }) &
  (Reads[Path] extends { query: infer Query } ? { readonly query?: Query } : { readonly query?: never });

interface SentRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** A client of one instance. */
export class InstanceClient {
  readonly #client: SwitchyardClient;

  constructor(
    readonly url: string,
    private readonly token: string | undefined,
  ) {
    // A person waits: what may work at once is tried at once, and what would take longer is told.
    this.#client = new SwitchyardClient({
      url,
      ...(token !== undefined && { token }),
      retries: 1,
      wait: () => Promise.resolve(),
      fetch: overNode,
    });
  }

  get(path: string): Promise<Result<JsonObject, CliFailure>> {
    return this.#json('GET', path);
  }

  /** Reads a described route: a wrong path, parameter or member of the answer does not compile. */
  async read<Path extends ReadPath>(
    path: Path,
    request: ReadRequest<Path>,
  ): Promise<Result<AnswerOf<Path>, CliFailure>> {
    const { params = {}, query = {} } = request as SentRequest;
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    return (await this.get(place + queryOf(query))) as Result<AnswerOf<Path>, CliFailure>;
  }

  post(path: string, body: JsonValue | Buffer): Promise<Result<JsonObject, CliFailure>> {
    return this.#json('POST', path, { bytes: bodyOf(body) });
  }

  /** Sends bytes that are not JSON. */
  postBytes(path: string, body: Buffer): Promise<Result<JsonObject, CliFailure>> {
    return this.#json('POST', path, { bytes: body, contentType: 'application/octet-stream' });
  }

  remove(path: string): Promise<Result<JsonObject, CliFailure>> {
    return this.#json('DELETE', path);
  }

  /** Calls a task; `onSeller` is called for each seller as it settles. A failed task is an answer, not a failure. */
  async task(
    name: string,
    args: JsonValue | Buffer,
    onSeller: (row: JsonObject) => void,
  ): Promise<Result<TaskAnswer, CliFailure>> {
    const url = `${this.url}/v1/tasks/${encodeURIComponent(name)}`;
    const sent = await exchange({
      ...this.#ask({ method: 'POST', url, body: bodyOf(args) }),
      accept: stream,
    });
    if (!sent.ok) return err(unreachable(this.url, sent.error.code));
    const response = sent.value;
    try {
      if (!response.headers['content-type']?.startsWith(stream)) {
        const body = jsonOf(await bytesOf(response));
        const status = response.statusCode ?? 0;
        if (!body) return err(notOurs(this.url, status));
        return status >= 400 ? err(refused(status, body)) : ok({ body, failed: false });
      }
      for await (const { event, data } of eventsOf(response)) {
        const body = jsonOf(Buffer.from(data));
        if (!body) continue;
        if (event === 'seller') onSeller(body);
        // A later server may send more before its result.
        else if (event === 'result' || event === 'error') return ok({ body, failed: event === 'error' });
      }
    } catch (error) {
      return err(unreachable(this.url, (error as NodeJS.ErrnoException).code ?? 'ECONNRESET'));
    }
    return err({ message: `The answer of ${this.url} ended before the result came.` });
  }

  /** Reads a stream of events until the server ends it. */
  async follow(path: string, onEvent: (event: ServerEvent) => void): Promise<Result<undefined, CliFailure>> {
    const sent = await exchange({ ...this.#ask({ method: 'GET', url: this.url + path }), accept: stream });
    if (!sent.ok) return err(unreachable(this.url, sent.error.code));
    const response = sent.value;
    try {
      if (response.headers['content-type']?.startsWith(stream) !== true) {
        const body = jsonOf(await bytesOf(response));
        const status = response.statusCode ?? 0;
        return err(body ? refused(status, body) : notOurs(this.url, status));
      }
      for await (const event of eventsOf(response)) onEvent(event);
      return ok(undefined);
    } catch (error) {
      return err(unreachable(this.url, (error as NodeJS.ErrnoException).code ?? 'ECONNRESET'));
    }
  }

  /** Writes a route's answer to `out` as it arrives. A failure comes before any output, or reports that it is cut off. */
  async download(path: string, out: Writable): Promise<Result<undefined, CliFailure>> {
    const sent = await exchange(this.#ask({ method: 'GET', url: this.url + path }));
    if (!sent.ok) return err(unreachable(this.url, sent.error.code));
    const response = sent.value;
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      const body = jsonOf(await bytesOf(response).catch(() => Buffer.alloc(0)));
      return err(body ? refused(status, body) : notOurs(this.url, status));
    }
    try {
      await pipeline(response, out, { end: false });
      return ok(undefined);
    } catch {
      return err({
        message: `The answer of ${this.url} is incomplete. Do not use what was written.`,
      });
    }
  }

  async #json(
    method: Exchange['method'],
    path: string,
    content: { readonly bytes?: Buffer; readonly contentType?: string } = {},
  ): Promise<Result<JsonObject, CliFailure>> {
    try {
      return ok((await this.#client.send(method, path, content)) as JsonObject);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return err(failureOf(this.url, error));
    }
  }

  #ask(query: Exchange): Exchange {
    return this.token === undefined ? query : { ...query, token: this.token };
  }
}

const stream = 'text/event-stream';

/** Without the time limits of `fetch`, because an onboarding may take long. */
const overNode: Fetch = async (url, { method, headers, body }) => {
  const sent = await exchange({
    method: method as Exchange['method'],
    url,
    headers,
    ...(body !== undefined && { body: Buffer.from(body as Uint8Array) }),
  });
  if (!sent.ok) throw Object.assign(new Error(sent.error.code), { code: sent.error.code });
  const response = sent.value;
  const bytes = await bytesOf(response);
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => response.headers[name]?.toString() ?? null },
    text: () => Promise.resolve(bytes.toString('utf8')),
  };
};

function failureOf(url: string, { status, code, more, cause }: ApiError): CliFailure {
  if (code === 'UNREACHABLE')
    return unreachable(url, (cause as NodeJS.ErrnoException | undefined)?.code ?? 'ECONNRESET');
  return isJsonObject(more.body) ? refused(status, more.body) : notOurs(url, status);
}

function bodyOf(body: JsonValue | Buffer): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

function jsonOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a refusal: the server's message, code, field and suggestion. */
export function refused(status: number, body: JsonObject): CliFailure {
  const first = Array.isArray(body['errors']) ? body['errors'][0] : undefined;
  const reported = isJsonObject(first) ? first : isJsonObject(body['error']) ? body['error'] : {};
  const text = (name: string): string | undefined =>
    typeof reported[name] === 'string' ? reported[name] : undefined;
  const code = text('code') ?? `HTTP ${status}`;
  const field = text('field');
  const message = `${text('message') ?? 'The server refused the request.'} (${code}${field === undefined ? '' : `, at ${field}`})`;
  const suggestion = text('suggestion');
  // For users of options, a hint about request schemas is useless.
  const hint =
    status === 401 ? tokenHint : suggestion?.includes('/openapi.json') === true ? optionsHint : suggestion;
  return { message, body, ...(hint === undefined ? {} : { hint }) };
}

const tokenHint =
  'Give a token with --token or SWITCHYARD_TOKEN, or run the command where the data folder is. A new token: npx switchyard token';

const optionsHint = 'See the options of a command with --help.';

function unreachable(url: string, code: string): CliFailure {
  return {
    message: `Nothing answers at ${url} (${code}).`,
    hint: 'Is the instance running? Start one with: npx switchyard up',
  };
}

function notOurs(url: string, status: number): CliFailure {
  return {
    message: `What answers at ${url} is not Switchyard (HTTP ${status}).`,
    hint: 'Check the address.',
  };
}
