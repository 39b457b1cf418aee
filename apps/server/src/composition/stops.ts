import type { IsStopped, Stop, StopRepository } from '@switchyard/tenancy';
import type { Clock, Instant } from '@switchyard/values';

/** How old an answer may be, in milliseconds: a stop holds in every process within a second, and this is half of it. */
const freshMs = 500;

interface Read {
  /** When it began: what was committed before is in it. */
  readonly at: Instant;
  readonly stops: Promise<readonly Stop[]>;
}

/**
 * Answers whether a stop holds, from the database or from what was read there half a second ago at most: one small query
 * per organization and half second, however many calls there are, and none while nothing happens.
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
      // The next one asks again: an answer that did not come is no answer for anybody else.
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
