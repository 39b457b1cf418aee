import type { Clock } from '@switchyard/values';

/** Least time between two jobs of one organization, in milliseconds. */
const pauseMs = 20;

/**
 * Adds one job for many events: the first event adds it at once, and those that come within the pause after it share
 * one at its end. A job is a row in a queue, which would cost more than the event that it tells of.
 */
export function enqueueOnce(
  clock: Clock,
  enqueue: (organizationId: string) => void,
): (organizationId: string) => void {
  /** Organizations whose job was added just now, and whether anything came since. */
  const resting = new Map<string, boolean>();
  const enqueueNow = (organizationId: string): void => {
    resting.set(organizationId, false);
    enqueue(organizationId);
    clock.after(pauseMs, () => {
      const more = resting.get(organizationId) === true;
      resting.delete(organizationId);
      if (more) enqueueNow(organizationId);
    });
  };
  return (organizationId) => {
    if (resting.has(organizationId)) resting.set(organizationId, true);
    else enqueueNow(organizationId);
  };
}
