import { findTask, isOutdated, type Finding, type SellerReply } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, type Instant } from '@switchyard/values';
import {
  isCallbackRefusal,
  refusesAddress,
  refusesReports,
  reportModeSent,
  wordsOf,
} from './relearn-refused.js';
import { withBuyerIds, errorsWithBuyerIds } from '../model/buyer-creative-ids.js';
import { unsignedLeg } from '../call/draft-leg.js';
import type { RefusedAttempt, Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { outboundOf, reportedOf } from '../model/outbound.js';
import type { BuysPorts } from '../model/ports.js';
import { withoutWebhook, type ReencodedLeg } from '../call/reencode.js';
import type { LegRun } from '../call/leg-run.js';
import { offersTask } from '../call/offers-task.js';
import { withSentTerms } from '../call/sent-terms.js';

/** The notice of a seller that refused our addresses. */
const callbackRefused = 'CALLBACK_REFUSED';

/** The finding on a leg that was sent a second time because its seller refused the version of the first. */
export const resent = 'SENT_IN_ANOTHER_FORM';

/**
 * `frozen`: the leg is stored as if never sent, with the connection to send it over. `as_known`: the seller's version
 * was read again, and the leg cannot be sent in another way. `not_needed`: there was no reason to read it.
 */
type Reencoded =
  | { readonly kind: 'frozen'; readonly connection: Connection }
  | { readonly kind: 'as_known' }
  | { readonly kind: 'not_needed' };

/** A leg, and the reply that refused it. */
interface RefusedLeg {
  readonly leg: Leg;
  readonly run: Pick<LegRun, 'connection' | 'again'>;
  readonly reply: SellerReply;
}

/**
 * Writes a leg again in another version after the seller refused the version that it was sent in. Such a refusal is
 * definite: the seller did nothing, so a second request under a second key still buys once. This happens at most once
 * per leg, and only after the first attempt: if an earlier answer was lost, a refusal does not tell what that attempt did.
 *
 * The first attempt is stored beside the second in one commit. After a crash the leg shows either the first attempt as
 * it was sent, or the second together with the refusal of the first.
 */
export async function reencodeLeg(
  ports: Pick<BuysPorts, 'store' | 'relearn' | 'learnReports' | 'clock' | 'ids'> &
    Partial<Pick<BuysPorts, 'notice'>>,
  scope: TenantScope,
  { leg, run, reply }: RefusedLeg,
): Promise<Reencoded> {
  const again = run.again?.get(leg.id);
  const before = leg.refusedAttempts ?? [];
  // Its addresses may be refused once more, in their other mode.
  const mayResend =
    leg.attempts === 1 && (before.length === 0 || (before.length === 1 && isCallbackRefusal(reply)));
  const isBare = refusesAddress(leg, reply);
  const learn = mayResend ? howToLearn(ports, scope, leg, reply) : undefined;
  if (again === undefined || learn === undefined) return { kind: 'not_needed' };
  const refusedAt = ports.clock.now();
  const connection = await learn(run.connection).catch(() => undefined);
  if (connection === undefined || !takesTask(connection, leg.task)) return { kind: 'as_known' };
  const frozen = again(connection, leg, { round: before.length + 2, isBare });
  if (frozen === undefined || isTheSame(leg, frozen)) return { kind: 'as_known' };
  const refused = refusedAttemptOf(leg, reply, refusedAt, ports.ids.uuid());
  const reencoded = { ...frozen, findings: [...frozen.findings, receivedOf(leg, frozen, reply)] };
  if (isCallbackRefusal(reply))
    ports.notice?.({ code: callbackRefused, seller: leg.seller, legId: leg.id, message: wordsOf(reply) });
  const stored = await ports.store.change(scope, leg.id, (state) =>
    isUntouched(state, leg)
      ? resetForResend(state, { leg, frozen: reencoded, refused, run, connection, at: ports.clock.now() })
      : state,
  );
  const isStored = stored?.legs.some(
    ({ id, refusedAttempts = [] }) =>
      id === leg.id && refusedAttempts.some((attempt) => attempt.id === refused.id),
  );
  return isStored === true ? { kind: 'frozen', connection } : { kind: 'as_known' };
}

/** How to find what the seller takes instead; undefined unless the reply is a refusal without task and result. */
function howToLearn(
  { relearn, learnReports }: Pick<BuysPorts, 'relearn' | 'learnReports'>,
  scope: TenantScope,
  leg: Leg,
  reply: SellerReply,
): ((connection: Connection) => Promise<Connection | undefined>) | undefined {
  const { status, errors, taskId, payload } = reply;
  const isRefused = status === 'failed' || status === 'rejected';
  if (!isRefused || errors.length === 0 || taskId !== undefined || payload['media_buy_id'] !== undefined)
    return undefined;
  if (refusesAddress(leg, reply)) return (connection) => Promise.resolve(connection);
  if (refusesReports(leg, reply) && learnReports !== undefined)
    return (connection) => learnReports(scope, connection, reportModeSent(leg));
  const isWholly = errors.every((error) => isOutdated({ errors: [error] }));
  return isWholly && relearn !== undefined ? (connection) => relearn(scope, connection) : undefined;
}

/** Whether the seller currently accepts this task at all. */
function takesTask(connection: Connection, task: string): boolean {
  const spec = findTask(task);
  return connection.state === 'live' && spec !== undefined && offersTask(connection, spec);
}

/** Compares everything except the key, which differs each time. */
function isTheSame(leg: Leg, frozen: ReencodedLeg): boolean {
  const contentOf = (outbound: string): string => {
    const { idempotency_key: _key, ...rest } = outboundOf({ id: leg.id, outbound });
    return canonicalJson(rest);
  };
  const { dialect, form } = frozen.profile;
  const isSameVoice = leg.profile.dialect === dialect && leg.profile.form === form;
  return isSameVoice && contentOf(leg.outbound) === contentOf(frozen.outbound);
}

/** Whether the leg was neither observed nor sent again since this answer. */
function isUntouched({ legs }: OperationState, leg: Leg): boolean {
  const now = legs.find(({ id }) => id === leg.id);
  return now?.status === 'sent' && now.attempts === leg.attempts && now.outbound === leg.outbound;
}

/** A leg that is encoded again, and its input. */
interface Reencoding {
  readonly leg: Leg;
  readonly frozen: ReencodedLeg;
  readonly refused: RefusedAttempt;
  readonly run: Pick<LegRun, 'again'>;
  readonly connection: Connection;
  readonly at: Instant;
}

function resetForResend(
  state: OperationState,
  { leg, frozen, refused, run, connection, at }: Reencoding,
): OperationState {
  const legs = state.legs.map((current): Leg => {
    if (current.id === leg.id) {
      const { sentAt: _before, ...rest } = withFrozen(current, frozen);
      return {
        ...rest,
        status: 'pending',
        attempts: 0,
        nextPollAt: at,
        refusedAttempts: [...(current.refusedAttempts ?? []), refused],
      };
    }
    // The held cancellation must be encoded in the new version too.
    const undo =
      current.status === 'held' && current.connectionId === leg.connectionId
        ? run.again?.get(current.id)
        : undefined;
    const second = undo?.(connection, current);
    return second === undefined ? current : withFrozen(current, second);
  });
  const packages = withSentTerms(state.packages, leg, reportedOf({ ...leg, outbound: frozen.outbound }));
  const operation = { ...state.operation, updatedAt: at };
  return { ...state, legs, packages, operation, registrations: frozen.registrations ?? [] };
}

function withFrozen(leg: Leg, { profile, outbound, findings, instead }: ReencodedLeg): Leg {
  const old = new Set(instead.map((finding) => canonicalJson({ ...finding })));
  const rest = leg.findings.filter((finding) => !old.has(canonicalJson({ ...finding })));
  return { ...leg, profile, outbound, findings: [...rest, ...findings] };
}

function refusedAttemptOf(leg: Leg, reply: SellerReply, answeredAt: Instant, id: string): RefusedAttempt {
  return {
    id,
    profile: leg.profile,
    outbound: leg.outbound,
    sentAt: leg.sentAt ?? answeredAt,
    answeredAt,
    answer: withBuyerIds(reply.payload, leg.connectionId),
    errors: errorsWithBuyerIds(reply.errors, leg.connectionId),
    ...(leg.findings.some(({ code }) => code === unsignedLeg) ? { unsigned: true as const } : {}),
  };
}

function receivedOf(leg: Leg, { profile }: ReencodedLeg, reply: SellerReply): Finding {
  const { errors } = reply;
  const said = `It said: ${wordsOf(reply)}`;
  if (refusesAddress(leg, reply))
    return {
      code: withoutWebhook,
      message:
        `The seller ${leg.seller} takes no webhook address of ours, and did nothing: the request was sent once more ` +
        `without one, and the seller is polled. ${said}`,
    };
  if (refusesReports(leg, reply))
    return {
      code: resent,
      message:
        `The seller ${leg.seller} refused the way of requesting its delivery reports and did nothing: the request was ` +
        `sent once more, with another registration of its reports. ${said}`,
    };
  const code = errors[0]?.code ?? '';
  const message =
    `The seller ${leg.seller} refused the request in protocol version ${leg.profile.form} (${code}) and did nothing: ` +
    `it was sent once more, in protocol version ${profile.form}.`;
  return { code: resent, message };
}
