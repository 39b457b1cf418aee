import { isSettled, storeObservation, type Leg } from '@switchyard/buys';
import { isTerminal, readA2aEvent, readReply, type A2aEvent } from '@switchyard/protocol';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { parseStrictJson } from '@switchyard/values';
import type { HandsParts } from '../worker-deps.js';
import { markOfFold, toldAt } from './mark-of-fold.js';

/**
 * Folds the news of a native A2A channel into its leg.
 *
 * Only what was signed is applied from the body. A post that brings the token alone makes us ask the seller, over the
 * call that we authenticate ourselves; so does an end that comes without its data.
 */
export async function applyNativeEvent(
  parts: HandsParts,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark | undefined> {
  const { id } = event;
  const leg = await parts.ports.store.leg(scope, event.legId);
  const parsed = parseStrictJson(event.body);
  const news = parsed.ok ? readA2aEvent(parsed.value.value) : undefined;
  if (leg === undefined || news === undefined)
    return { id, state: 'quarantined', reason: 'unreadable_envelope' };
  const whose = isOfLeg(news, leg);
  if (whose === 'unknown') return { id, state: 'quarantined', reason: 'unknown_task' };
  if (whose === 'later') return undefined;
  if (news.status === 'unknown')
    return { id, state: 'stale', reason: `unknown_state:${news.state.slice(0, 64)}` };
  if (isSettled(leg) && leg.observedBy === 'inline') return afterInlineEnd(id, leg, news);
  const isEmptyEnd = news.status === 'completed' && news.data === undefined;
  if (event.registrationMode !== 'signed' || isEmptyEnd) return ask(parts, scope, id, leg);
  const folded = await storeObservation(parts.ports, scope, leg, {
    source: 'webhook',
    at: event.receivedAt,
    ...toldAt(news.timestamp),
    a2aTaskId: news.a2aTaskId,
    reply: replyOf(news, leg),
  });
  return markOfFold(id, folded);
}

/** The signed news as if they had been the answer. */
export function replyOf(news: A2aEvent, leg: Leg): ReturnType<typeof readReply> {
  const isError = news.status === 'failed' || news.status === 'rejected';
  return readReply(leg.task, news.data ?? {}, isError, leg.voice, {
    taskId: news.a2aTaskId,
    state: news.status,
    ...(news.contextId === undefined ? {} : { contextId: news.contextId }),
  });
}

/** A leg that is still being answered does not know its task: news of it wait, and are looked at again. */
function isOfLeg(news: A2aEvent, leg: Leg): 'its' | 'unknown' | 'later' {
  if (leg.a2aTaskId !== undefined) return leg.a2aTaskId === news.a2aTaskId ? 'its' : 'unknown';
  return leg.status === 'pending' || leg.status === 'sent' ? 'later' : 'unknown';
}

/** A2A agents push every state of a task, its inline end as well. The same end is no news; another one is wrong. */
function afterInlineEnd(id: string, leg: Leg, { status }: A2aEvent): InboxMark {
  return isTerminal(status) && status !== leg.status
    ? { id, state: 'quarantined', reason: 'terminal_conflict' }
    : { id, state: 'stale', reason: 'task_ended_inline' };
}

async function ask(parts: HandsParts, scope: TenantScope, id: string, leg: Leg): Promise<InboxMark> {
  if (isSettled(leg)) return { id, state: 'stale' };
  await parts.ports.store.releaseLeg(scope, leg, parts.ports.clock.now());
  return { id, state: 'applied', reason: 'asked_the_seller' };
}
