import type { Agent } from '../agent/agent.js';
import { textOf, type JsonObject } from '../json.js';
import { statusOf, type LibraryCreative, type LibraryStatus } from '../creatives/library.js';
import { done, type Outcome } from '../agent/outcome.js';
import { purged, statusUpdate } from '../webhooks/notify-verdict.js';
import { unable } from '../agent/unable.js';

/** The states that a creative may be forced into from each state: those that creatives reach by themselves. */
const next: Readonly<Record<LibraryStatus, readonly LibraryStatus[]>> = {
  processing: ['pending_review', 'approved', 'rejected'],
  pending_review: ['approved', 'rejected'],
  approved: ['pending_review', 'suspended', 'rejected', 'archived'],
  suspended: ['approved', 'rejected'],
  rejected: ['processing', 'pending_review'],
  archived: ['approved'],
};

/** Puts a creative of the library into a state, with a reason if it is rejected, and notifies its registered address. */
export function forceCreativeStatus(agent: Agent, params: JsonObject): Outcome {
  const wanted = textOf(params['status']);
  const id = textOf(params['creative_id']);
  if (id === undefined || wanted === undefined || !isLibraryStatus(wanted))
    return unable('INVALID_PARAMS', 'creative_id and a status that creatives have are required');
  const creative = agent.books.creatives.get(id);
  if (creative === undefined) return unable('NOT_FOUND', 'no such creative', null);
  const before = statusOf(creative, agent.now());
  const answer = { success: true, previous_state: before, current_state: wanted };
  if (before === wanted) return done(answer);
  if (!next[before].includes(wanted))
    return unable('INVALID_TRANSITION', `no creative goes from ${before} to ${wanted}`, before);
  const reason = textOf(params['rejection_reason']) ?? textOf(params['reason_detail']);
  const after = inState(agent, creative, wanted, reason);
  const event = statusUpdate(agent, { ...creative, status: before }, after);
  return done(answer, { creatives: [after], ...(event === undefined ? {} : { events: [event] }) });
}

/** Removes a creative from the library for ever, like a seller whose retention has ended. */
export function forceCreativePurge(agent: Agent, params: JsonObject): Outcome {
  const id = textOf(params['creative_id']);
  if (id === undefined) return unable('INVALID_PARAMS', 'creative_id is required');
  if (params['purge_kind'] === 'hard')
    return unable('INVALID_PARAMS', 'this agent keeps a trace of what it throws away: purge_kind is soft');
  const creative = agent.books.creatives.get(id);
  if (creative === undefined) return unable('NOT_FOUND', 'no such creative', null);
  const before = statusOf(creative, agent.now());
  const answer = { success: true, previous_state: before, current_state: 'archived' };
  if (before === 'archived') return done(answer);
  const after = inState(agent, creative, 'archived', undefined);
  const event = purged(agent, after);
  return done(answer, { creatives: [after], ...(event === undefined ? {} : { events: [event] }) });
}

function inState(
  agent: Agent,
  { verdict: _decidedBefore, ...creative }: LibraryCreative,
  status: LibraryStatus,
  reason: string | undefined,
): LibraryCreative {
  const now = agent.now();
  const why = reason === undefined ? {} : { reason };
  return {
    ...creative,
    status,
    updatedAt: now,
    ...(status === 'rejected' ? { verdict: { at: now, status: 'rejected', ...why } } : {}),
  };
}

function isLibraryStatus(word: string): word is LibraryStatus {
  return Object.hasOwn(next, word);
}
