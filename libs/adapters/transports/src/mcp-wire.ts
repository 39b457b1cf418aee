import { Buffer } from 'node:buffer';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { TransportFailure } from '@switchyard/sellers';
import {
  err,
  fairTurn,
  inTurns,
  isJsonObject,
  nextTurn,
  ok,
  parseInSlices,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { authorizationOf, certificateOf, signatureOf } from './authorization.js';
import { readEventStream } from './event-stream.js';
import { isTooLarge, longAnswer, type Exchange, type Wires } from './exchange.js';
import { failureOf, failureOfFetch, failureOfStatus, malformed, type Unreadable } from './failure.js';

const contentType = 'application/json';

/**
 * Streamable HTTP, one POST per message and nothing in the background. The SDK's client makes the handshake over it; the
 * requests after that are sent without the client, which adds a timer, a controller and a check of types to each.
 *
 * It replaces the SDK's transport, because a fan-out needs more: every call aborted alone, a broken answer reported at
 * once instead of at the deadline, one socket per seller instead of two (no standing GET stream, whose notifications
 * are not read here), and the seller's real status. Failures of requests are returned as JSON-RPC errors, because a
 * rejected `send` would leave the client's handler of that id in memory; the real reason is in the exchange.
 */
export class McpWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  sessionId?: string;
  #protocolVersion: string | undefined;
  /** Of the handshake. */
  #exchange: Exchange | undefined;
  /** The id of the last request; the client gives 0 to that of the handshake. */
  #lastId = 0;
  readonly #url: string;
  readonly #wires: Wires;

  constructor(url: string, wires: Wires) {
    this.#url = url;
    this.#wires = wires;
  }

  /** Sends a request in the open session, and returns the seller's reply to it. */
  async request(
    method: string,
    params: Record<string, unknown>,
    exchange: Exchange,
  ): Promise<Result<Reply, TransportFailure>> {
    const id = (this.#lastId += 1);
    const answer = await this.#post({ jsonrpc: '2.0', id, method, params }, id, exchange);
    if (!answer.ok) return answer;
    return answer.value === undefined ? err(failureOf('malformed', 'maybe')) : ok(answer.value);
  }

  /** The handshake is several messages. Nothing else is sent meanwhile, so all of them belong to the exchange. */
  async handshake<T>(exchange: Exchange, run: () => Promise<T>): Promise<T> {
    this.#exchange = exchange;
    try {
      return await run();
    } finally {
      this.#exchange = undefined;
    }
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const exchange = this.#exchange;
    // A reply to a request of the server: none are read here, so no reply is sent.
    if (exchange === undefined) return;
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    const answer = await this.#post(message, id, exchange);
    if (id === undefined) return;
    if (answer.ok && answer.value !== undefined) {
      this.onmessage?.(answer.value);
      return;
    }
    exchange.failure = answer.ok ? failureOf('malformed', 'maybe') : answer.error;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: exchange.failure.message } });
  }

  get url(): string {
    return this.#url;
  }

  /** The headers of each message of this session. */
  sessionHeaders(): Record<string, string> {
    return {
      accept: 'application/json, text/event-stream',
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
      ...(this.#protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.#protocolVersion }),
    };
  }

  /** Ends the session at the server, if there is one. It is not awaited and may fail. */
  async terminate(exchange: Exchange): Promise<void> {
    if (this.sessionId === undefined || (await this.#wires.isStopped(exchange.to))) return;
    await this.#fetch('DELETE', exchange, undefined).catch(() => undefined);
  }

  async #post(
    message: JSONRPCMessage,
    id: RequestId | undefined,
    exchange: Exchange,
  ): Promise<Result<Reply | undefined, TransportFailure>> {
    try {
      const body = Buffer.from(JSON.stringify(message));
      const signature = await signatureOf(exchange, { url: this.#url, contentType, body });
      if (!signature.ok) return signature;
      if (await this.#wires.isStopped(exchange.to)) return err(failureOf('stopped', 'no'));
      const response = await this.#fetch('POST', exchange, body, signature.value);
      const session = response.headers.get('mcp-session-id');
      if (session !== null) this.sessionId = session;
      if (!response.ok) return err(failureOfStatus(response));
      if (id === undefined) return ok(undefined);
      return await this.#read(response, id, exchange);
    } catch (error) {
      return err(failureOfFetch(error, exchange.signal));
    }
  }

  #mostBytes(exchange: Exchange): number {
    return exchange.maxAnswerBytes ?? this.#wires.maxAnswerBytes;
  }

  #fetch(
    method: 'POST' | 'DELETE',
    exchange: Exchange,
    body: Buffer | undefined,
    signature: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.#wires.egress.fetchLike(this.#url, {
      method,
      headers: {
        ...this.sessionHeaders(),
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...signature,
        ...authorizationOf(exchange.credential),
      },
      ...(body === undefined ? {} : { body }),
      ...certificateOf(exchange.credential),
      redirect: 'manual',
      signal: exchange.signal,
      maxBytes: this.#mostBytes(exchange),
    });
  }

  async #read(
    response: Response,
    id: RequestId,
    exchange: Exchange,
  ): Promise<Result<Reply | undefined, TransportFailure>> {
    const type = response.headers.get('content-type') ?? '';
    const mostBytes = this.#mostBytes(exchange);
    if (/^text\/event-stream\b/i.test(type) && response.body !== null) {
      const taken = await readEventStream(response.body, mostBytes, async (data) => {
        if (exchange.wantsText === true) exchange.text = data;
        const reply = isTooLarge(data, exchange) ? 'too_large' : await replyIn(data, id);
        // Notifications and replies to other requests are skipped.
        return reply === 'not_json' || reply === 'no_reply' ? undefined : reply;
      });
      if (taken.ok) return read(taken.value);
      return err(failureOf(taken.error === 'too_large' ? 'too_large' : 'unreachable', 'maybe'));
    }
    const text = await response.text();
    await fairTurn(exchange.to.organizationId);
    if (Buffer.byteLength(text) > mostBytes) return err(failureOf('too_large', 'maybe'));
    if (exchange.wantsText === true) exchange.text = text;
    if (isTooLarge(text, exchange)) return err(failureOf('too_large', 'maybe'));
    if (text.length <= longAnswer) return read(await replyIn(text, id));
    await nextTurn();
    const reply = read(await replyIn(text, id));
    await nextTurn();
    return reply;
  }
}

/** A reply to one of our requests, in the shape that the SDK expects. */
type Reply =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: JsonObject }
  | {
      readonly jsonrpc: '2.0';
      readonly id: RequestId;
      readonly error: { readonly code: number; readonly message: string; readonly data?: JsonValue };
    };

type ReadReply = Reply | 'too_large' | Unreadable;

function read(reply: ReadReply): Result<Reply, TransportFailure> {
  if (reply === 'too_large') return err(failureOf('too_large', 'maybe'));
  return typeof reply === 'string' ? err(malformed(reply)) : ok(reply);
}

/** The reply to our request in a JSON text: a message, or one of a list. */
async function replyIn(text: string, id: RequestId): Promise<ReadReply> {
  let parsed: unknown;
  try {
    parsed = await inTurns(parseInSlices(text));
  } catch {
    return 'not_json';
  }
  const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const reply = messages.find(
    (message) =>
      isJsonObject(message) &&
      message['id'] === id &&
      (isJsonObject(message['result']) || isJsonObject(message['error'])),
  );
  return isJsonObject(reply) ? messageOf(reply, id) : 'no_reply';
}

/** Checks the shape that the SDK expects: the SDK ignores a message of unknown shape, and the call would hang. */
function messageOf({ result, error }: JsonObject, id: RequestId): ReadReply {
  if (!isJsonObject(error)) return isJsonObject(result) ? { jsonrpc: '2.0', id, result } : 'no_reply';
  if (isJsonObject(result)) return 'no_reply';
  const { code, message, data } = error;
  const known = Number.isSafeInteger(code) ? Number(code) : -32000;
  const text = typeof message === 'string' ? message : '';
  return {
    jsonrpc: '2.0',
    id,
    error: { code: known, message: text, ...(data === undefined ? {} : { data }) },
  };
}
