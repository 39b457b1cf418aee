import {
  type AskSeller,
  type ConnectorRequest,
  type SellerAnswer,
  type SellerCall,
  type SellerConnector,
  type SellerLane,
  type SellerTarget,
  type TransportFailure,
} from '@switchyard/sellers';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import { exchangeOf, textOf, type Exchange, type Wires } from './exchange.js';
import { failureOf, malformed } from './failure.js';
import { originFetch } from './origin-fetch.js';
import type { SellerSession } from './session.js';

/** Requests that a connector may send for one call. */
const mostRequests = 100;

/** Calls one seller by a connector. There is nothing to open: each call stands for itself. */
export class ConnectorSession implements SellerSession {
  readonly isDead = false;
  readonly #connector: SellerConnector;
  readonly #wires: Wires;

  constructor(connector: SellerConnector, wires: Wires) {
    this.#connector = connector;
    this.#wires = wires;
  }

  async call(
    target: SellerTarget,
    call: SellerCall,
    signal: AbortSignal,
  ): Promise<Result<SellerAnswer, TransportFailure>> {
    if (!Object.hasOwn(this.#connector.tools, call.tool))
      return err({ ...failureOf('protocol_error', 'no'), refusal: 'unsupported_operation' });
    const exchange = exchangeOf(target, signal, call);
    const asked = { count: 0 };
    const ask = askOf(target, exchange, this.#wires, asked);
    try {
      const { payload, isError = false } = await this.#connector.call(
        { tool: call.tool, args: call.args },
        ask,
      );
      // A connector that catches the refusal of a request does not turn it into an answer.
      if (exchange.failure !== undefined) return err(exchange.failure);
      if (signal.aborted) return err(failureOf('aborted', asked.count === 0 ? 'no' : 'maybe'));
      if (!isJsonObject(payload)) return err(malformed('no_object'));
      return ok({ payload, isError, ...textOf(exchange) });
    } catch {
      // What a connector throws of its own may hold the seller's words, and is shown to nobody.
      return err(exchange.failure ?? failureOf('malformed', asked.count === 0 ? 'no' : 'maybe'));
    }
  }

  /** Asks the seller nothing: what it can do is what the connector translates. The first task shows whether it answers. */
  listTools(): Promise<Result<Record<string, string[]>, TransportFailure>> {
    const tools: Record<string, string[]> = {};
    for (const [name, args] of Object.entries(this.#connector.tools)) tools[name] = [...args];
    return Promise.resolve(ok(tools));
  }

  /** A sealed request is forwarded as it is, so there is no way for one here. */
  lane(): Result<SellerLane, TransportFailure> {
    return err({ ...failureOf('protocol_error', 'no'), refusal: 'unsupported_operation' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function askOf(target: SellerTarget, exchange: Exchange, wires: Wires, asked: { count: number }): AskSeller {
  const { origin } = new URL(target.agentUrl);
  const send = originFetch(origin, exchange, wires);
  return async (request) => {
    const failed = (failure: TransportFailure): never => {
      // Once something was sent, the seller may have acted, whatever failed afterwards.
      exchange.failure =
        asked.count > 1 && failure.delivered === 'no' && changes(request)
          ? { ...failure, delivered: 'maybe' }
          : failure;
      throw new Error(failure.message);
    };
    asked.count += 1;
    if (asked.count > mostRequests) return failed(failureOf('too_large', 'maybe'));
    const url = urlOf(target.agentUrl, request);
    if (url?.origin !== origin || Object.hasOwn(request.headers ?? {}, 'authorization'))
      return failed(failureOf('blocked', 'no'));
    delete exchange.failure;
    const response = await send(url.href, {
      method: request.method,
      headers: { ...request.headers, accept: 'application/json', 'content-type': 'application/json' },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    }).catch(() => failed(exchange.failure ?? failureOf('unreachable', 'maybe')));
    const { status } = response;
    const refusal = refusalIn(exchange);
    if (refusal !== undefined && (refusal.code === 'too_large' || isOurs(status))) return failed(refusal);
    delete exchange.failure;
    return { status, body: await objectOf(response) };
  };
}

/** Set by our `fetch`, for a status outside 2xx too. */
const refusalIn = ({ failure }: Exchange): TransportFailure | undefined => failure;

/** Statuses that are about us or about the seller's health, and no answer to the task. */
const isOurs = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || status >= 500;

const changes = ({ method }: ConnectorRequest): boolean => method !== 'GET';

async function objectOf(response: Response): Promise<JsonObject | undefined> {
  const text = await response.text();
  if (text.trim() === '') return undefined;
  const read: unknown = await response.json();
  if (!isJsonObject(read)) throw new Error('The answer is no object of JSON.');
  return read;
}

/** The address below the seller's; undefined if the path leads elsewhere. */
function urlOf(agentUrl: string, { path, query = {} }: ConnectorRequest): URL | undefined {
  if (!/^(\/(?!\/)|$)/.test(path) || /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path) || /[?#\\]/.test(path))
    return undefined;
  const url = new URL(agentUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  return url;
}
