import { taskError, type CreateMediaBuyRequest, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

const dayMs = 86_400_000;

/** The schema has seen that the end comes after the start; here both are held against today. */
export function checkFlight(
  request: Pick<CreateMediaBuyRequest, 'startTime' | 'endTime'>,
  now: Instant,
): readonly TaskError[] {
  const errors: TaskError[] = [];
  if (request.startTime !== 'asap' && Date.parse(request.startTime) < startOfDay(now))
    errors.push(startInPast);
  if (Date.parse(request.endTime) <= now) {
    errors.push(
      taskError('INVALID_REQUEST', 'The end lies in the past.', {
        field: 'end_time',
        suggestion: 'Choose a time that lies ahead.',
      }),
    );
  }
  return errors;
}

/** Midnight in UTC: a form may name a day instead of an instant, and today is a fair day to start on. */
export function startOfDay(now: Instant): Instant {
  return Math.floor(now / dayMs) * dayMs;
}

/** Nothing begins before today (docs/protocol/media-buys.md#checks-before-any-seller-is-asked). */
export const startInPast = taskError('INVALID_REQUEST', 'The start lies in the past.', {
  field: 'start_time',
  suggestion: 'Use "asap", or a time from today on.',
});
