import { ApiFailure, failureOf, request, send, type JsonObject, type JsonValue } from './client.js';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The objects of a list; any other value counts as an empty list. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter(isObject) : [];
/** The texts of a list; any other value counts as an empty list. */
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
/** A text or a number as text; any other value is empty. */
export const textAt = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** The state of a creative at each seller. */
export function atSellers(creative: JsonObject): readonly JsonObject[] {
  const ext = isObject(creative['ext']) ? creative['ext']['switchyard'] : undefined;
  return objectsIn(isObject(ext) ? ext['sellers'] : creative['sellers']);
}

/** The result of a request at one seller. */
export interface SellerRow {
  readonly seller: string;
  readonly status: string;
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms?: number;
  readonly items?: number;
  readonly settled?: number;
  readonly total?: number;
}

/** Calls a task of the protocol. Throws `ApiFailure` if it failed as a whole. */
export async function task(name: string, body: object): Promise<JsonObject> {
  const answer = await request('POST', `/v1/tasks/${name}`, body);
  const read = isObject(answer) ? answer : {};
  if (read['status'] === 'failed') throw failureOf(200, read);
  return read;
}

/** What comes before the answer of a task. */
export interface Parts {
  /** Each seller as it settles. */
  readonly onSeller: (row: SellerRow) => void;
  /** The sellers that are asked, by slug, before any has settled. */
  readonly onAsked?: (sellers: readonly string[]) => void;
  /** The products of a seller, as the answer has them. */
  readonly onProducts?: (products: readonly JsonObject[]) => void;
}

/** Calls a task and reports what comes before its answer. */
export async function streamTask(
  name: string,
  body: object,
  { onSeller, onAsked, onProducts }: Parts,
): Promise<JsonObject> {
  const headers = { accept: 'text/event-stream;parts=products', 'content-type': 'application/json' };
  const response = await send(`/v1/tasks/${name}`, headers, { method: 'POST', body: JSON.stringify(body) });
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream') || !response.body)
    throw failureOf(response.status, await response.json().catch(() => undefined));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (text + value).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data === undefined) continue;
      const json = JSON.parse(data) as JsonObject;
      if (event === 'seller') onSeller(json as unknown as SellerRow);
      else if (event === 'asked') onAsked?.(textsIn(json['sellers']));
      else if (event === 'products') onProducts?.(objectsIn(json['products']));
      else if (event === 'error') throw failureOf(200, json);
      else return json;
    }
  }
  throw new ApiFailure(
    0,
    'CUT_OFF',
    'The connection ended before the answer. Look at Buys before you send it again.',
  );
}
