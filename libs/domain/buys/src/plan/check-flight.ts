import { taskError, type CreateMediaBuyRequest, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

const dayMs = 86_400_000;

/** Checks start and end against the current day. The schema has already checked that the end is after the start. */
export function checkFlight(
  request: Pick<CreateMediaBuyRequest, 'startTime' | 'endTime'>,
  now: Instant,
): readonly TaskError[] {
  const errors: TaskError[] = [];
  if (request.startTime !== 'asap' && Date.parse(request.startTime) < startOfDay(now))
    errors.push(startInPast);
  if (Date.parse(request.endTime) <= now) {
    errors.push(
      taskError('INVALID_REQUEST', 'The end is in the past.', {
        field: 'end_time',
        suggestion: 'Choose a time in the future.',
      }),
    );
  }
  return errors;
}

/** Midnight in UTC. Some versions send a day instead of an instant, so a buy may start on the current day. */
export function startOfDay(now: Instant): Instant {
  return Math.floor(now / dayMs) * dayMs;
}

/** A buy cannot start before the current day (docs/protocol/media-buys.md#checks-before-any-seller-is-asked). */
export const startInPast = taskError('INVALID_REQUEST', 'The start is in the past.', {
  field: 'start_time',
  suggestion: 'Use "asap", or a time from today on.',
});
