import { createHmac } from 'node:crypto';
import type { Instant } from '@switchyard/values';

/** How long a spent refresh token is answered with its successor again, in milliseconds. */
export const refreshGraceMs = 60_000;

/**
 * The refresh token after a spent one. Two requests with one token at the same moment get the same successor, in any
 * process, and it can be answered again although only its hash is stored. Who holds the spent token cannot compute it: the
 * key is the installation's. While that key is replaced, for minutes in months, two successors may be answered; both end
 * with their grant.
 */
export function refreshSuccessor(spent: string, key: string): string {
  return createHmac('sha256', key).update(`refresh token after ${spent}`).digest('base64url');
}

/** Whether a spent token is still answered with its successor. A later use means that somebody else has it. */
export function isJustSpent(consumedAt: Instant | undefined, now: Instant): boolean {
  return consumedAt !== undefined && now - consumedAt <= refreshGraceMs;
}
