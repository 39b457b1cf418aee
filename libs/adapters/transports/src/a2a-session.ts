import { randomUUID } from 'node:crypto';
import { Role } from '@a2a-js/sdk';
import { type Client, ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import type {
  SellerAnswer,
  SellerCall,
  SellerLane,
  SellerTarget,
  TransportFailure,
} from '@switchyard/sellers';
import { cancelTask, getTask } from '@switchyard/protocol';
import { err, inTurns, ok, type Result } from '@switchyard/values';
import { resolveCard, type AgentCard } from './a2a-card.js';
import { originFetch } from './origin-fetch.js';
import { a2aAnswer } from './payload.js';
import { exchangeOf, textOf, type Exchange, type Wires } from './exchange.js';
import { failureOf, malformed } from './failure.js';
import { jsonRpcFailure } from './json-rpc-failure.js';
import type { SellerSession } from './session.js';

const legacyCompat = { enabled: true };
/** Names of polling tools in the task table: over A2A they are the native call. */
const pollTools: ReadonlySet<string> = new Set(Object.values(getTask.names).flat());
/** Names of tools that cancel a task. */
const cancelTools: ReadonlySet<string> = new Set(Object.values(cancelTask.names).flat());

/**
 * One A2A agent as its card describes it, protocol 1.0 or 0.3. A2A has no sessions, so only the card is kept; each call
 * makes a client of its own around it, which is cheap and shares nothing.
 */
export class A2aSession implements SellerSession {
  readonly isDead = false;
  readonly #card: AgentCard;
  readonly #origin: string;
  readonly #wires: Wires;

  private constructor(card: AgentCard, origin: string, wires: Wires) {
    this.#card = card;
    this.#origin = origin;
    this.#wires = wires;
  }

  static async open(
    target: SellerTarget,
    wires: Wires,
    signal: AbortSignal,
  ): Promise<Result<A2aSession, TransportFailure>> {
    const card = await resolveCard(target.agentUrl, exchangeOf(target, signal), wires);
    if (!card.ok) return card;
    return ok(new A2aSession(card.value, new URL(target.agentUrl).origin, wires));
  }

  async call(
    target: SellerTarget,
    call: SellerCall,
    signal: AbortSignal,
  ): Promise<Result<SellerAnswer, TransportFailure>> {
    const exchange = exchangeOf(target, signal, call);
    try {
      const client = await this.#client(exchange);
      const result = await (nativeCall(client, call) ??
        client.sendMessage(messageOf(call, this.#card.capabilities?.pushNotifications === true)));
      const answer = await inTurns(a2aAnswer(result, call.mayRead));
      if (answer === 'too_large') return err(failureOf('too_large', 'maybe'));
      return answer === undefined ? err(malformed('no_object')) : ok({ ...answer, ...textOf(exchange) });
    } catch (error) {
      return failed(error, exchange);
    }
  }

  listTools(): Promise<Result<Record<string, string[]>, TransportFailure>> {
    const skills = Array.isArray(this.#card.skills) ? this.#card.skills : [];
    // Skills are usually named by id; some agents write the task's name into `name`.
    const names = skills.flatMap((skill) => [skill.id, skill.name]).filter(Boolean);
    return Promise.resolve(ok(Object.fromEntries(names.map((name) => [name, []]))));
  }

  /** The newest JSON-RPC interface of the card, chosen as the SDK's client does; only at the agent's origin. */
  lane(): Result<SellerLane, TransportFailure> {
    const rpc = this.#card.supportedInterfaces
      .filter((supported) => supported.protocolBinding === 'JSONRPC' && isOf(this.#origin, supported.url))
      .toSorted((a, b) => Number.parseFloat(b.protocolVersion) - Number.parseFloat(a.protocolVersion));
    const [newest] = rpc;
    if (newest === undefined) return err(failureOf('blocked', 'no'));
    const version = newest.protocolVersion;
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(version === '' ? {} : { 'a2a-version': version }),
    };
    return ok({ url: newest.url, headers, forgetSession: () => undefined });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #client(exchange: Exchange): Promise<Client> {
    const card = this.#card;
    const fetchImpl = originFetch(this.#origin, exchange, this.#wires);
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      // The card is already normalised; the SDK's resolver would do it again, with another `fetch`.
      cardResolver: { resolve: () => Promise.resolve(card) },
    });
    return factory.createFromAgentCard(card);
  }
}

/** The native call of a tool for an existing task; nothing for a tool that starts or continues a task. */
function nativeCall(client: Client, { tool, a2aTaskId }: SellerCall) {
  if (a2aTaskId === undefined) return undefined;
  if (pollTools.has(tool)) return client.getTask({ tenant: '', id: a2aTaskId });
  if (cancelTools.has(tool)) return client.cancelTask({ tenant: '', id: a2aTaskId, metadata: undefined });
  return undefined;
}

function isOf(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

function messageOf(call: SellerCall, offersPush: boolean): Parameters<Client['sendMessage']>[0] {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: call.a2aContextId ?? '',
      taskId: call.a2aTaskId ?? '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'data', value: { skill: call.tool, parameters: call.args } },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: ['application/json'],
      taskPushNotificationConfig: offersPush ? pushOf(call) : undefined,
      returnImmediately: false,
    },
    metadata: undefined,
  };
}

function pushOf(call: SellerCall) {
  if (call.a2aPush === undefined) return undefined;
  const { url, operationId, token } = call.a2aPush;
  return { tenant: '', id: operationId, taskId: '', url, token, authentication: undefined };
}

/** A failure recorded by our `fetch` comes first, then an error of the protocol; otherwise the answer is unreadable. */
function failed(error: unknown, exchange: Exchange): Result<SellerAnswer, TransportFailure> {
  const rpc = rpcErrorOf(error);
  const httpFailed = exchange.failure !== undefined && exchange.failure.code !== 'http_error';
  if (rpc !== undefined && !httpFailed) {
    const failure = jsonRpcFailure(rpc.code, rpc.data);
    if ('answer' in failure) return ok(failure.answer);
    return err(exchange.failure ?? failure);
  }
  return err(exchange.failure ?? failureOf('malformed', 'maybe'));
}

function rpcErrorOf(error: unknown): { readonly code: number; readonly data: unknown } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { envelopeCode, data, errorResponse } = error as {
    readonly envelopeCode?: unknown;
    readonly data?: unknown;
    readonly errorResponse?: { readonly error?: { readonly code?: unknown; readonly data?: unknown } };
  };
  if (typeof envelopeCode === 'number') return { code: envelopeCode, data };
  const nested = errorResponse?.error;
  return typeof nested?.code === 'number' ? { code: nested.code, data: nested.data } : undefined;
}
