import type { IsStopped, Stop, StopRepository } from '@switchyard/tenancy';
import type { Clock, Instant } from '@switchyard/values';

/** The greatest age of an answer, in milliseconds: half of the second in which a stop takes effect in every process. */
const freshMs = 500;

interface Read {
  /** When the read began: it contains everything committed before. */
  readonly at: Instant;
  readonly stops: Promise<readonly Stop[]>;
}

/**
 * Answers whether a stop is active, from a read that is at most half a second old: one small query per organization and
 * half second, for any number of calls, and none while nothing happens.
 */
export function currentStops(repository: Pick<StopRepository, 'list'>, clock: Clock): IsStopped {
  const reads = new Map<string, Read>();
  const read = (organizationId: string): Promise<readonly Stop[]> => {
    const now = clock.now();
    const known = reads.get(organizationId);
    if (known !== undefined && now - known.at < freshMs && now >= known.at) return known.stops;
    const stops = repository.list({ organizationId });
    const fresh = { at: now, stops };
    reads.set(organizationId, fresh);
    stops.catch(() => {
      // A failed read is not shared: the next call reads again.
      if (reads.get(organizationId) === fresh) reads.delete(organizationId);
    });
    return stops;
  };
  return async (organizationId, kind, subject) =>
    (await read(organizationId)).some(
      (stop) =>
        (stop.kind === kind && stop.subject === subject) || (stop.kind === 'all' && kind === 'seller'),
    );
}
