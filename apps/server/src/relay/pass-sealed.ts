import { Buffer } from 'node:buffer';
import { getProducts, isOutdated, profileOf } from '@switchyard/protocol';
import type { CustodyRecord, Ended } from '@switchyard/relay';
import type { SellerLane, Connection } from '@switchyard/sellers';
import { err, type Instant } from '@switchyard/values';
import { authorizationOf, certificateOf } from '@switchyard/transports';
import { offerOf } from '@switchyard/buys';
import type { RelayAnswer, SealedCallIn } from './relay.js';
import type { Admitted } from './admission/admit-sealed.js';
import { forwardSealed, type PassedAnswer, type ReadBody } from './forward-sealed.js';
import { laneTarget } from './lane-target.js';
import { madeNothing, readPassed, type PassedReply } from './read-passed.js';
import { credentialSearch } from './credential-search.js';
import { endSealed } from './observe-sealed.js';
import { refusedAnswer } from './refused-answer.js';
import { relayTimeoutMs, type RelayDeps } from './relay-deps.js';
import { withLane } from './custody/sealed-record.js';

/**
 * Forwards an admitted request and passes its answer back as it arrives.
 *
 * A caller that disconnects ends a read, but never a change: ending one would only make its outcome unknown.
 */
export async function passSealed(
  deps: RelayDeps,
  call: SealedCallIn,
  admitted: Admitted,
): Promise<RelayAnswer> {
  const { connection, request, secrets } = admitted;
  const isChange = request.call.spec.kind === 'mutation';
  const { signal, cancel } = callDeadline(deps.clock, isChange ? undefined : call.signal);
  const lane = await deps.lanes.lane(laneTarget(call.caller, connection, secrets), signal);
  const record = lane.ok ? withLane(admitted.record, lane.value.headers) : admitted.record;
  const passed = lane.ok
    ? await forwardSealed(
        deps.egress,
        lane.value,
        {
          sealed: { headers: request.headers, body: call.body },
          authorization: authorizationOf(secrets.credential),
          ...certificateOf(secrets.credential),
        },
        { signal, readsOn: isChange, own: credentialSearch(secrets.credential) },
      )
    : err({ delivered: 'no' as const });
  if (!passed.ok) {
    cancel();
    return endWithoutAnswer(deps, call, { ...admitted, record }, passed.error.delivered);
  }
  recordAfterAnswer(deps, call, { admitted: { ...admitted, record }, answer: passed.value, cancel });
  const isForgotten = lane.ok && hasForgotten(lane.value, passed.value.status);
  if (isForgotten) {
    lane.value.forgetSession();
    return refusedAnswer(record.id, 'RELAY_SESSION_LOST');
  }
  if (passed.value.isWithheld === true) return refusedAnswer(record.id, 'RELAY_ANSWER_WITHHELD');
  const { status, headers, body } = passed.value;
  return { kind: 'passed', recordId: record.id, status, headers, body };
}

/**
 * Records an answer once it is being sent; the answer of a read that arrived as a whole is recorded together with
 * others.
 */
function recordAfterAnswer(
  deps: RelayDeps,
  call: SealedCallIn,
  {
    admitted,
    answer,
    cancel,
  }: { readonly admitted: Admitted; readonly answer: PassedAnswer; readonly cancel: () => void },
): void {
  if (admitted.request.call.spec.kind !== 'mutation' && Buffer.isBuffer(answer.body)) {
    cancel();
    const at = deps.clock.now();
    return deps.deferredAnswers.add(answer.body.length, () =>
      recordAnswer(deps, call, admitted, { answer, answeredAt: () => at }),
    );
  }
  const recorded = sent()
    .then(() => recordAnswer(deps, call, admitted, { answer, answeredAt: () => deps.clock.now() }))
    .finally(cancel);
  const { principalId } = call.caller;
  deps.changes.add({ principalId, connectionId: admitted.connection.id }, recorded);
  recorded.catch((error: unknown) => deps.onUnexpected(error, `relayed request ${admitted.record.id}`));
}

const sent = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Fires when a call has taken too long, or when its caller, if given, has disconnected. */
function callDeadline(
  clock: RelayDeps['clock'],
  caller: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const stop = new AbortController();
  const give = (): void => stop.abort();
  const cancelTimer = clock.after(relayTimeoutMs, give);
  if (caller?.aborted === true) give();
  else caller?.addEventListener('abort', give, { once: true });
  return {
    signal: stop.signal,
    cancel: () => {
      cancelTimer();
      caller?.removeEventListener('abort', give);
    },
  };
}

/** MCP answers 404 to a session that it no longer knows; it has not read the request. */
function hasForgotten(lane: SellerLane, status: number): boolean {
  return status === 404 && lane.headers['mcp-session-id'] !== undefined;
}

async function endWithoutAnswer(
  deps: RelayDeps,
  call: SealedCallIn,
  { record, request, leg }: Admitted,
  delivered: 'no' | 'maybe',
): Promise<RelayAnswer> {
  const code = delivered === 'no' ? 'RELAY_SELLER_UNREACHABLE' : 'RELAY_ANSWER_LOST';
  const { forwarded: _setOut, ...unsent } = record;
  const ended: CustodyRecord =
    delivered === 'no'
      ? { ...unsent, outcome: 'unreachable', code }
      : { ...record, outcome: 'unknown', code };
  const scope = { organizationId: call.caller.organizationId };
  const end = { record: ended, at: deps.clock.now(), releases: delivered === 'no' };
  if (request.call.spec.kind === 'mutation')
    await endSealed(deps, scope, {
      ended: end,
      leg,
      reported: delivered === 'no' ? 'nothing' : undefined,
    });
  else void deps.custody.ended(scope, end, false);
  return refusedAnswer(record.id, code);
}

/** Whether an answer may say that our version of the seller is outdated: only such an answer is read for it. */
function mayBeOutdated({ whole }: Pick<ReadBody, 'whole'>): boolean {
  return whole !== undefined && outdated.some((code) => whole.includes(code));
}

const outdated = ['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE'].map((code) => Buffer.from(code));

/**
 * Reads a seller's capabilities again if it refused sealed bytes for their version. The brand gets the refusal
 * unchanged and may sign again; later requests use the new capabilities. Nobody waits for it.
 */
function relearnPassed(
  { relearn, onUnexpected }: Pick<RelayDeps, 'relearn' | 'onUnexpected'>,
  connection: Connection,
  reported: PassedReply | 'nothing' | undefined,
): void {
  if (reported === undefined || reported === 'nothing' || !isOutdated(reported.reply)) return;
  const scope = { organizationId: connection.organizationId };
  relearn(scope, connection).catch((error: unknown) => {
    onUnexpected(error, `refreshing the capabilities of ${connection.slug} after a sealed request`);
  });
}

/** Seals the record after the last byte. The caller has its answer already. */
async function recordAnswer(
  deps: RelayDeps,
  call: SealedCallIn,
  { record, request, connection, leg }: Admitted,
  { answer, answeredAt }: { readonly answer: PassedAnswer; readonly answeredAt: () => Instant },
): Promise<void> {
  const read = await answer.read();
  const at = answeredAt();
  if (read.isWithheld === true)
    deps.onEcho({ organizationId: connection.organizationId, connectionId: connection.id });
  const { rpcId, spec } = request.call;
  // From the answer of a read, only quotes are stored, and refusals of our version.
  const isRead = spec.kind === 'mutation' || spec.name === getProducts.name || mayBeOutdated(read);
  const reported = isRead
    ? readPassed({ protocol: call.protocol, rpcId, task: spec.name }, answer, read)
    : undefined;
  const ended: Ended = {
    record: {
      ...record,
      outcome: read.complete ? 'answered' : 'unknown',
      ...(read.isWithheld === true ? { code: 'RELAY_ANSWER_WITHHELD' } : {}),
      answer: {
        at,
        status: answer.status,
        bodyHash: read.hash,
        bytes: read.bytes,
        complete: read.complete,
      },
    },
    at,
    releases: read.complete && madeNothing(reported),
  };
  relearnPassed(deps, connection, reported);
  const scope = { organizationId: call.caller.organizationId };
  if (spec.kind === 'mutation') return endSealed(deps, scope, { ended, leg, reported });
  void deps.custody.ended(scope, ended, false);
  if (spec.name === getProducts.name) storeQuotes(deps, connection, reported, record.arrived.at);
}

/**
 * Stores a seller's quotes for a sealed read like any others: a buy under a budget is counted by them. Their time is
 * that of the read: a slow answer replaces no later quote.
 */
export function storeQuotes(
  { quotes }: { readonly quotes: Pick<RelayDeps['quotes'], 'gather'> },
  connection: Connection,
  reported: PassedReply | 'nothing' | undefined,
  requestedAt: Instant,
): void {
  if (reported === undefined || reported === 'nothing' || !Array.isArray(reported.reply.payload['products']))
    return;
  const profile = profileOf(connection);
  const read = getProducts.readAnswer(reported.reply.payload, profile);
  if (!read.ok || read.value.answer.products.length === 0) return;
  quotes.gather(
    { organizationId: connection.organizationId },
    read.value.answer.products.map((product) => ({
      connectionId: connection.id,
      offer: offerOf(connection.slug, product, requestedAt),
    })),
  );
}
