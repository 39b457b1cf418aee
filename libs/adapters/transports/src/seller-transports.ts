import {
  credentialForms,
  egressCaps,
  type Egress,
  type SellerAnswer,
  type SellerConnector,
  type SellerLanes,
  type SellerTarget,
  type SellerTransport,
  type TransportFailure,
} from '@switchyard/sellers';
import {
  atOnce,
  concealInSlices,
  concealInText,
  err,
  fairTurn,
  inTurns,
  isJsonObject,
  nextTurn,
  ok,
  weightOf,
  type Clock,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { A2aSession } from './a2a-session.js';
import { ConnectorSession } from './connector-session.js';
import type { Wires } from './exchange.js';
import { failureOf } from './failure.js';
import { storableAnswer, storableInSlices } from './storable-answer.js';
import { McpSession } from './mcp-session.js';
import { SessionPool, type OpenSession } from './session-pool.js';
import type { SellerSession } from './session.js';

export interface SellerTransportOptions {
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** Our name and version for sellers. */
  readonly client?: { readonly name: string; readonly version: string };
  /** Largest answer that is read, in bytes. */
  readonly maxAnswerBytes?: number;
  /** Longest time for a handshake or an agent card, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Ways to call sellers that speak neither MCP nor A2A. */
  readonly connectors?: readonly SellerConnector[];
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Whether an emergency stop applies to all calls to a seller now. If this cannot be read, nothing is sent. */
  readonly isStopped?: (to: Pick<SellerTarget, 'organizationId' | 'connectionId'>) => Promise<boolean>;
  /**
   * Called after each call with a credential that the seller checked; `refusedWith` is the refusing status, and `tool` what
   * was called.
   */
  readonly onCredential?: (target: SellerTarget, refusedWith?: number, tool?: string) => void;
  /** Called if a seller wrote our credential into its answer. */
  readonly onEcho?: (by: Pick<SellerTarget, 'organizationId' | 'connectionId'>) => void;
}

/** Weight of an answer that is checked in one turn of the event loop. */
const lightAnswer = 5_000;

/**
 * Calls sellers over MCP and A2A, each over the protocol of its connection. Sellers' answers are read only here, so our
 * credential is removed from them here: it would give access to the account to every reader of the answer.
 */
export function createSellerTransport(options: SellerTransportOptions): SellerTransport & SellerLanes {
  const wires = wiresOf(options);
  const pool = new SessionPool(openerOf(options.connectors ?? []), wires, options.clock);
  const ways: Ways = { pool, wires, onCredential: options.onCredential };
  return {
    call: (given, call, signal) =>
      withOther(ways, given, call.tool, (target) => {
        const clean = cleanerOf(target, options);
        return inSession(ways, target, signal, async (session) => {
          // Many sellers become ready together, and each writes its own copy of the request.
          await fairTurn(target.organizationId);
          const answer = await session.call(target, call, signal);
          if (!answer.ok) return answer;
          if (hasTooManyItems(answer.value.payload)) return err(failureOf('too_large', 'maybe'));
          if (weightOf(answer.value, lightAnswer) <= lightAnswer)
            return ok(storableAnswer(atOnce(clean(answer.value))));
          await nextTurn();
          const cleaned = await inTurns(clean(answer.value));
          await nextTurn();
          const storable = await inTurns(storableInSlices(cleaned));
          await nextTurn();
          return ok(storable);
        });
      }),
    listTools: (given, signal) =>
      withOther(ways, given, undefined, (target) => {
        const clean = cleanerOf(target, options);
        return inSession(ways, target, signal, async (session) => {
          const tools = await session.listTools(target, signal);
          return tools.ok ? ok(atOnce(clean(tools.value))) : tools;
        });
      }),
    lane: (given, signal) =>
      withOther(ways, given, undefined, (target) =>
        inSession(ways, target, signal, (session) => Promise.resolve(session.lane())),
      ),
    forget: (connectionId) => pool.forget(connectionId),
    close: () => pool.close(),
  };
}

/** Every way to call a seller, by the protocol of its connection. */
function openerOf(connectors: readonly SellerConnector[]): OpenSession {
  const ways = new Map<string, OpenSession>([
    ['mcp', (...opening) => McpSession.open(...opening)],
    ['a2a', (...opening) => A2aSession.open(...opening)],
    ...connectors.map((connector): readonly [string, OpenSession] => [
      connector.protocol,
      (_target, wires) => Promise.resolve(ok(new ConnectorSession(connector, wires))),
    ]),
  ]);
  return (target, wires, signal) =>
    ways.get(target.protocol)?.(target, wires, signal) ??
    Promise.resolve(err(failureOf('no_connector', 'no')));
}

/** Limit of items in one list of an answer, or of a task's result. A seller with more of them has pages. */
const mostItems = 5_000;

function hasTooManyItems(payload: JsonObject): boolean {
  const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > mostItems;
  return Object.values(payload).some(
    (member) => isLong(member) || (isJsonObject(member) && Object.values(member).some(isLong)),
  );
}

/** Drops the text if it spells a secret in escapes, which a search for the secret would not find. */
function withoutHiddenSecret<T extends object>(reported: T, secrets: readonly string[]): T {
  const { text, ...others } = reported as Partial<SellerAnswer>;
  const plain = text?.replace(/(?<!\\)\\+u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain === undefined || concealInText(plain, secrets) === plain ? reported : (others as T);
}

/** Made before the call, because the caller may wipe the secret during the call. */
function cleanerOf(
  target: SellerTarget,
  { onEcho }: SellerTransportOptions,
): <T extends object>(reported: T) => Generator<void, T> {
  const secrets = credentialForms(target.credential);
  return function* clean<T extends object>(reported: T): Generator<void, T> {
    const clean = (yield* concealInSlices(reported as unknown as JsonObject, secrets)) as unknown as T;
    if (clean !== reported) onEcho?.(target);
    return withoutHiddenSecret(clean, secrets);
  };
}

function wiresOf(options: SellerTransportOptions): Wires {
  const { isStopped = () => Promise.resolve(false) } = options;
  return {
    egress: options.egress,
    isStopped: (to) => isStopped(to).catch(() => true),
    client: options.client ?? { name: 'switchyard', version: '0.1.0' },
    maxAnswerBytes: options.maxAnswerBytes ?? egressCaps.taskAnswer,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
  };
}

/**
 * Makes a call, and, if the seller refuses the version of our credential, goes on with the other version that is valid
 * beside it: a refused call has had no effect. A candidate has sessions of its own, so that its trial ends none in use.
 */
async function withOther<T>(
  ways: Ways,
  target: SellerTarget,
  tool: string | undefined,
  call: (target: SellerTarget) => Promise<Result<T, TransportFailure>>,
): Promise<Result<T, TransportFailure>> {
  const { credential } = target;
  if (credential === undefined) return call(target);
  const { instead, ...first } = credential;
  const { sessionOf = '' } = target;
  const trial = first.isCandidate === true ? { sessionOf: `${sessionOf} trial` } : {};
  const outcome = await call({ ...target, credential: first, ...trial });
  const status = refusalIn(outcome);
  if (status === undefined) {
    if (outcome.ok) ways.onCredential?.(target, undefined, tool);
    return outcome;
  }
  ways.onCredential?.(target, status, tool);
  // 403 decides nothing about a version that was taken before.
  if (instead === undefined || (status === 403 && first.isCandidate !== true)) return outcome;
  // Both versions are in use for a moment: neither ends the sessions of the other.
  const other: SellerTarget = { ...target, credential: instead, sessionOf: `${sessionOf} other` };
  const again = await call(other);
  const refused = refusalIn(again);
  if (again.ok || refused !== undefined) ways.onCredential?.(other, refused, tool);
  return again;
}

/** The status with which a seller refuses our credential; 401 too for an answer that says so in words of the protocol. */
function refusalIn(outcome: Result<unknown, TransportFailure>): number | undefined {
  if (!outcome.ok) {
    const { httpStatus } = outcome.error;
    return httpStatus === 401 || httpStatus === 403 ? httpStatus : undefined;
  }
  const payload = isJsonObject(outcome.value) ? outcome.value['payload'] : undefined;
  const [first] = isJsonObject(payload) && Array.isArray(payload['errors']) ? payload['errors'] : [];
  return isJsonObject(first) && first['code'] === 'AUTH_INVALID' ? 401 : undefined;
}

interface Ways {
  readonly onCredential: SellerTransportOptions['onCredential'] | undefined;
  readonly pool: SessionPool;
  readonly wires: Wires;
}

/**
 * Runs one call in the warm session. If the seller has lost the session, and so did not read the call, a new session is
 * opened and the call is made once more. So a restart of a seller has no effect.
 */
async function inSession<T>(
  { pool, wires }: Ways,
  target: SellerTarget,
  signal: AbortSignal,
  run: (session: SellerSession) => Promise<Result<T, TransportFailure>>,
): Promise<Result<T, TransportFailure>> {
  // A lane sends nothing by itself, so the check before each request is made here too.
  if (await wires.isStopped(target)) return err(failureOf('stopped', 'no'));
  try {
    const opened = await pool.session(target, signal);
    if (!opened.ok) return opened;
    const outcome = await run(opened.value);
    if (outcome.ok || !opened.value.isDead) return outcome;
    if (outcome.error.delivered === 'maybe' || outcome.error.code === 'protocol_error') return outcome;
    const reopened = await pool.session(target, signal);
    return reopened.ok ? await run(reopened.value) : reopened;
  } catch {
    // A library threw unexpectedly: whether the seller received anything is unknown.
    return err(failureOf('protocol_error', 'maybe'));
  }
}
