import {
  credentialForms,
  egressCaps,
  type Egress,
  type SellerAnswer,
  type SellerLanes,
  type SellerTarget,
  type SellerTransport,
  type TransportFailure,
} from '@switchyard/sellers';
import {
  concealInText,
  concealTexts,
  err,
  isJsonObject,
  nextTurn,
  ok,
  weightOf,
  type Clock,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { A2aSession } from './a2a-session.js';
import type { Wires } from './exchange.js';
import { failureOf } from './failure.js';
import { keepableAnswer } from './keepable-answer.js';
import { McpSession } from './mcp-session.js';
import { SessionPool } from './session-pool.js';
import type { SellerSession } from './session.js';

export interface SellerTransportOptions {
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** What we call ourselves towards sellers. */
  readonly client?: { readonly name: string; readonly version: string };
  /** Largest answer that is read, in bytes. */
  readonly maxAnswerBytes?: number;
  /** Longest time for a handshake or an agent card, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Absent: the machine's. */
  readonly clock?: Clock;
  /** Whether an emergency stop holds every call to a seller now; where that cannot be known nothing is sent. */
  readonly isStopped?: (to: Pick<SellerTarget, 'organizationId' | 'connectionId'>) => Promise<boolean>;
  /** Told of each call with a credential that its seller judged: the status that refused it, or nothing where it was taken. */
  readonly onCredential?: (target: SellerTarget, refusedWith?: number) => void;
  /** Told of a seller that wrote our own credential into what it answered. */
  readonly onEcho?: (by: Pick<SellerTarget, 'organizationId' | 'connectionId'>) => void;
}

/** Weight of an answer that is gone over at once. */
const lightAnswer = 5_000;

/**
 * Speaks MCP and A2A to sellers, each seller over the protocol of its connection. What a seller says is read here and
 * nowhere else, so here it loses our credential, which would open the account to whoever is shown the answer.
 */
export function createSellerTransport(options: SellerTransportOptions): SellerTransport & SellerLanes {
  const wires = wiresOf(options);
  const pool = new SessionPool(
    (target, known, signal) =>
      (target.protocol === 'mcp' ? McpSession : A2aSession).open(target, known, signal),
    wires,
    options.clock,
  );
  const ways: Ways = { pool, wires, onCredential: options.onCredential };
  return {
    call: (target, call, signal) => {
      const clean = cleanerOf(target, options);
      return inSession(ways, target, signal, async (session) => {
        const answer = await session.call(target, call, signal);
        if (!answer.ok) return answer;
        if (hasTooManyItems(answer.value.payload)) return err(failureOf('too_large', 'maybe'));
        // Each pass over a long answer is a turn of the event loop by itself.
        if (weightOf(answer.value, lightAnswer) <= lightAnswer)
          return ok(keepableAnswer(clean(answer.value)));
        await nextTurn();
        const cleaned = clean(answer.value);
        await nextTurn();
        const keepable = keepableAnswer(cleaned);
        await nextTurn();
        return ok(keepable);
      });
    },
    listTools: (target, signal) => {
      const clean = cleanerOf(target, options);
      return inSession(ways, target, signal, async (session) => {
        const tools = await session.listTools(target, signal);
        return tools.ok ? ok(clean(tools.value)) : tools;
      });
    },
    lane: (target, signal) => inSession(ways, target, signal, (session) => Promise.resolve(session.lane())),
    forget: (connectionId) => pool.forget(connectionId),
    close: () => pool.close(),
  };
}

/** Items of one list of an answer: its own, or that of the result of a task. A seller with more of them has pages. */
const mostItems = 5_000;

function hasTooManyItems(payload: JsonObject): boolean {
  const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > mostItems;
  return Object.values(payload).some(
    (member) => isLong(member) || (isJsonObject(member) && Object.values(member).some(isLong)),
  );
}

/**
 * Without a text that spells a secret in escapes, which whoever looks for the secret does not find: it is kept by nobody.
 */
function withoutHiddenSecret<T extends object>(reported: T, secrets: readonly string[]): T {
  const { text, ...others } = reported as Partial<SellerAnswer>;
  const plain = text?.replace(/\\+u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain === undefined || concealInText(plain, secrets) === plain ? reported : (others as T);
}

/** Made before the call, because whoever made it may take the secret back while it is under way. */
function cleanerOf(
  target: SellerTarget,
  { onEcho }: SellerTransportOptions,
): <T extends object>(reported: T) => T {
  const secrets = credentialForms(target.credential);
  return (reported) => {
    const clean = concealTexts(reported as unknown as JsonObject, secrets) as unknown as typeof reported;
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
 * Runs one call in the warm session. Where the seller turns out to have lost the session, and has therefore not
 * looked at the call, a new one is opened and the call made once more: a restart of a seller goes unnoticed.
 */
async function inSession<T>(
  ways: Ways,
  target: SellerTarget,
  signal: AbortSignal,
  run: (session: SellerSession) => Promise<Result<T, TransportFailure>>,
): Promise<Result<T, TransportFailure>> {
  const outcome = await inWarmSession(ways, target, signal, run);
  if (target.credential === undefined) return outcome;
  if (outcome.ok) ways.onCredential?.(target);
  else if (outcome.error.httpStatus === 401 || outcome.error.httpStatus === 403)
    ways.onCredential?.(target, outcome.error.httpStatus);
  return outcome;
}

interface Ways {
  readonly onCredential: SellerTransportOptions['onCredential'] | undefined;
  readonly pool: SessionPool;
  readonly wires: Wires;
}

async function inWarmSession<T>(
  { pool, wires }: Ways,
  target: SellerTarget,
  signal: AbortSignal,
  run: (session: SellerSession) => Promise<Result<T, TransportFailure>>,
): Promise<Result<T, TransportFailure>> {
  // A lane sends nothing by itself, so what is asked before each request is asked here as well.
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
    // A library threw where it should not: whether the seller got anything is unknown.
    return err(failureOf('protocol_error', 'maybe'));
  }
}
