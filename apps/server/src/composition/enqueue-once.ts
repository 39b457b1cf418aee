import type { Clock } from '@switchyard/values';

/** The least time between two jobs of one organization, in milliseconds. */
const pauseMs = 20;

/**
 * Adds one job for many events: the first event adds it at once; those within the pause after it share one job at its
 * end. A job is a row in a queue and would cost more than its event.
 */
export function enqueueOnce(
  clock: Clock,
  enqueue: (organizationId: string) => void,
): (organizationId: string) => void {
  /** Organizations in their pause, and whether an event came since. */
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
