import type { Clock } from '@switchyard/values';

/** Least time between two wake-ups of one organization, in milliseconds. */
const pauseMs = 20;

/**
 * Wakes for many events at once: the first event wakes at once, and those that come within the pause after it are told
 * by one wake-up at its end. A wake-up is a row in a queue, which would cost more than the event that it tells of.
 */
export function enqueueOnce(
  clock: Clock,
  wake: (organizationId: string) => void,
): (organizationId: string) => void {
  /** Organizations that were woken just now, and whether anything came since. */
  const resting = new Map<string, boolean>();
  const wakeNow = (organizationId: string): void => {
    resting.set(organizationId, false);
    wake(organizationId);
    clock.after(pauseMs, () => {
      const more = resting.get(organizationId) === true;
      resting.delete(organizationId);
      if (more) wakeNow(organizationId);
    });
  };
  return (organizationId) => {
    if (resting.has(organizationId)) resting.set(organizationId, true);
    else wakeNow(organizationId);
  };
}
