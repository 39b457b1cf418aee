import type { Clock, Instant } from '@switchyard/values';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import type { AdminFailure } from '../platform/failure.js';
import { notRecent } from '../platform/routes/recent-sign-in.js';

/** How long after its sign-in a session may change the ways in that no password or code protects, in milliseconds. */
const freshMs = 15 * 60_000;

/** Whether a sign-in is that recent. */
export const isFresh = (signedInAt: Instant, clock: Clock): boolean => clock.now() - signedInAt <= freshMs;

/** True for a session that somebody else may use by now, for example at a desk that its person has left. */
export function isOldSession({ signedInAt }: PrincipalCaller, clock: Clock): boolean {
  return signedInAt === undefined || !isFresh(signedInAt, clock);
}

export const oldSession: AdminFailure = {
  code: 'RECENT_SIGN_IN_REQUIRED',
  message: 'You signed in more than 15 minutes ago.',
  suggestion: notRecent.suggestion,
};
