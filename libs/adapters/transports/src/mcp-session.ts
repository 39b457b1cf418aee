import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import {
  credentialForms,
  type SellerAnswer,
  type SellerCall,
  type SellerLane,
  type SellerTarget,
  type TransportFailure,
} from '@switchyard/sellers';
import {
  concealInText,
  err,
  inTurns,
  isJsonObject,
  ok,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { exchangeOf, textOf, type Exchange, type Wires } from './exchange.js';
import { failureOf, malformed } from './failure.js';
import { jsonRpcFailure } from './json-rpc-failure.js';
import { mcpPayload } from './payload.js';
import { McpWire } from './mcp-wire.js';
import type { SellerSession } from './session.js';

/** Longer than any call: the caller's signal ends it, never the SDK's timer. */
const noTimeout = { timeout: 2_147_483_647 };
const maxToolPages = 20;

/** Never compiles a schema: schemas of sellers are untrusted programs. */
const noValidator: jsonSchemaValidator = {
  getValidator: (() => (data: unknown) => ({
    valid: true,
    data,
    errorMessage: undefined,
  })) as jsonSchemaValidator['getValidator'],
};

/** One warm session with one MCP server, for one tenant and one credential version. */
export class McpSession implements SellerSession {
  readonly #client: Client;
  readonly #wire: McpWire;
  #dead = false;

  private constructor(client: Client, wire: McpWire) {
    this.#client = client;
    this.#wire = wire;
  }

  /** Makes the handshake. If it fails, no task was sent. */
  static async open(
    target: SellerTarget,
    wires: Wires,
    signal: AbortSignal,
  ): Promise<Result<McpSession, TransportFailure>> {
    const wire = new McpWire(target.agentUrl, wires);
    const client = new Client(wires.client, { jsonSchemaValidator: noValidator });
    const exchange = exchangeOf(target, signal);
    try {
      await wire.handshake(exchange, () => client.connect(wire, noTimeout));
      return ok(new McpSession(client, wire));
    } catch {
      const failure = exchange.failure ?? failureOf('protocol_error', 'no');
      return err({ ...failure, delivered: 'no' });
    }
  }

  get isDead(): boolean {
    return this.#dead;
  }

  async call(
    target: SellerTarget,
    call: SellerCall,
    signal: AbortSignal,
  ): Promise<Result<SellerAnswer, TransportFailure>> {
    const params = { name: call.tool, arguments: call.args };
    const exchange = exchangeOf(target, signal, call);
    const result = await this.#request('tools/call', params, exchange);
    if (!result.ok) return 'answer' in result.error ? ok(result.error.answer) : err(result.error);
    const clean = (prose: string) => concealInText(prose, credentialForms(target.credential));
    const payload = await inTurns(mcpPayload(result.value, clean, call.mayRead));
    if (payload === 'too_large') return err(failureOf('too_large', 'maybe'));
    if (payload === undefined) return err(malformed('no_object'));
    return ok({ payload, isError: result.value['isError'] === true, ...textOf(exchange) });
  }

  async listTools(
    target: SellerTarget,
    signal: AbortSignal,
  ): Promise<Result<Record<string, string[]>, TransportFailure>> {
    const tools: Record<string, string[]> = {};
    let cursor: string | undefined;
    for (let page = 0; page < maxToolPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#request('tools/list', params, exchangeOf(target, signal));
      if (!result.ok) return err('answer' in result.error ? failureOf('protocol_error', 'no') : result.error);
      collectTools(result.value['tools'], tools);
      const next = result.value['nextCursor'];
      if (typeof next !== 'string' || next === '') break;
      cursor = next;
    }
    return ok(tools);
  }

  lane(): Result<SellerLane, TransportFailure> {
    const forgetSession = (): void => {
      this.#dead = true;
    };
    return ok({ url: this.#wire.url, headers: this.#wire.sessionHeaders(), forgetSession });
  }

  async close(target: SellerTarget, signal: AbortSignal): Promise<void> {
    await this.#wire.terminate(exchangeOf(target, signal));
    await this.#client.close();
  }

  async #request(
    method: string,
    params: Record<string, unknown>,
    exchange: Exchange,
  ): Promise<Result<JsonObject, TransportFailure | { readonly answer: SellerAnswer }>> {
    const reply = await this.#wire.request(method, params, exchange);
    if (!reply.ok) {
      this.#dead ||= this.#endsSession(reply.error);
      return reply;
    }
    if ('result' in reply.value) return ok(reply.value.result);
    const { code, data } = reply.value.error;
    return err(jsonRpcFailure(code, data));
  }

  /** A server that has lost the session answers 404; several answer 400. Without a session neither means that. */
  #endsSession(failure: TransportFailure): boolean {
    if (failure.code === 'protocol_error') return true;
    const lost = failure.httpStatus === 404 || failure.httpStatus === 400;
    return lost && this.#wire.sessionId !== undefined;
  }
}

function collectTools(listed: unknown, into: Record<string, string[]>): void {
  if (!Array.isArray(listed)) return;
  for (const tool of listed as unknown[]) {
    if (!isJsonObject(tool) || typeof tool['name'] !== 'string') continue;
    const schema = tool['inputSchema'];
    const properties = isJsonObject(schema) ? schema['properties'] : undefined;
    into[tool['name']] = isJsonObject(properties) ? Object.keys(properties) : [];
  }
}
