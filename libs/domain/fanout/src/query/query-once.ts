import type { Connection } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import { querySeller } from './query-seller.js';
import type { LegAnswer } from './leg-answer.js';
import type { LegReport } from './fan-out.js';
import type { LeasedCredential, MarketQuestion } from '../market-question.js';
import type { PlannedLeg } from '../plan-market.js';
import type { SellerRequest } from '../project-requests.js';

/** One planned call: its leg, the credentials, and a function that returns the request for a connection. */
export interface LegCall {
  readonly leg: PlannedLeg;
  readonly credentials: ReadonlyMap<string, LeasedCredential> | undefined;
  readonly project: (connection: Connection) => SellerRequest;
  readonly signal: AbortSignal;
  /** Bounds the long answers of all sellers together: `SellerCall.mayRead`. */
  readonly mayRead: (members: number) => boolean;
  /** The end of the whole request. */
  readonly endsAt: Instant;
}

/** Queries one planned seller, or reports why not: its form, its credential or its bulkhead prevents the call. */
export async function queryOnce<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  { leg, credentials, project, signal, mayRead, endsAt }: LegCall,
): Promise<LegReport<LegAnswer<Answer>>> {
  const { connection, tool } = leg;
  const { organizationId, id } = connection;
  const projected = project(connection);
  const { notExpressible } = projected;
  if (notExpressible !== undefined) return notSent('skipped', notExpressible.message, notExpressible.code);
  const credential = credentials?.get(id);
  if (connection.credentialId !== undefined && credential === undefined) {
    return notSent('failed', 'Its credential could not be read from the vault.', 'CREDENTIAL_UNAVAILABLE');
  }
  const { clock, breakers } = question;
  const leave = await question.bulkhead.enter({
    organizationId,
    connectionId: id,
    caller: question.caller ?? '',
    maxWaitMs: (endsAt - clock.now()) * shareForWaiting,
    clock,
    signal,
  });
  if (leave === undefined)
    return notSent('skipped', 'Too many calls to this seller are under way.', 'BULKHEAD_FULL');
  // Both may have changed during the wait.
  const now = clock.now();
  const isPaused = credential !== undefined && breakers.isPaused(leg.ticket, credential, now);
  if (isPaused || (!leg.ticket.probe && breakers.phaseOf(leg.ticket) === 'open')) {
    leave();
    return isPaused
      ? notSent('skipped', 'The seller refused our credential a moment ago.', 'CREDENTIAL_PAUSED')
      : notSent('skipped', 'It failed several times in a row.', 'BREAKER_OPEN');
  }
  const reading = pagesUntil(question, now + (endsAt - now) * partForPages);
  try {
    return await querySeller({
      spec: question.spec,
      connection,
      tool,
      projected,
      ...(credential === undefined ? {} : { credential }),
      ...(question.signer === undefined ? {} : { signer: question.signer }),
      transport: question.transport,
      count: question.count,
      mayRead,
      signal,
      ...(question.wantsText === undefined ? {} : { wantsText: question.wantsText }),
      ...(reading === undefined ? {} : { pages: reading.pages }),
    });
  } finally {
    reading?.stop();
    leave();
  }
}

/** Share of the remaining time that a call waits for a place at a busy seller. */
const shareForWaiting = 0.5;

/** Share of a leg's time for further pages; the rest is for returning the result. */
const partForPages = 0.8;

/** The signal and its timer are made for the second page: most answers have one. */
function pagesUntil<Request, Answer>({ pages, clock }: MarketQuestion<Request, Answer>, until: Instant) {
  if (pages === undefined) return undefined;
  let stop: (() => void) | undefined;
  const signal = (): AbortSignal => {
    const leftMs = until - clock.now();
    if (leftMs <= 0) return AbortSignal.abort();
    const controller = new AbortController();
    stop = clock.after(leftMs, () => {
      controller.abort();
    });
    return controller.signal;
  };
  return { pages: { ...pages, signal }, stop: () => stop?.() };
}

function notSent(status: 'skipped' | 'failed', reason: string, code: string): LegReport<never> {
  return { status, reason, code, items: 0 };
}
