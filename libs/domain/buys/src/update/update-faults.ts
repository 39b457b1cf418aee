import { isBuyOver, taskError, type TaskError, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { startInPast, startOfDay } from '../plan/package-terms.js';
import type { MediaBuy } from '../model/operation.js';
import { staleRevision } from '../model/stale-revision.js';

/**
 * The error for a change that the buy's status or revision forbids (docs/protocol/media-buys.md#changes).
 * Only one, because no other check matters then.
 */
export function statusFault(
  { revision, canceled }: UpdateMediaBuyRequest,
  buy: Pick<MediaBuy, 'status' | 'revision'>,
): TaskError | undefined {
  if (isBuyOver(buy.status)) {
    const again = buy.status === 'canceled' && canceled === true;
    const code = again ? 'NOT_CANCELLABLE' : 'INVALID_STATE';
    const message = again
      ? 'The buy is canceled already.'
      : `The buy is ${buy.status}, and cannot be changed any more.`;
    return taskError(code, message, { field: 'media_buy_id' });
  }
  return revision === undefined || revision === buy.revision ? undefined : staleRevision(buy.revision);
}

export function timeFaults(
  { startTime, endTime }: UpdateMediaBuyRequest,
  buy: Pick<MediaBuy, 'startTime' | 'endTime'>,
  now: Instant,
): readonly TaskError[] {
  const errors: TaskError[] = [];
  const end = Date.parse(endTime ?? buy.endTime);
  const start = startTime === undefined || startTime === 'asap' ? buy.startTime : startTime;
  if (endTime !== undefined && end <= now) {
    const suggestion = 'Choose a time that lies ahead, or cancel the buy.';
    errors.push(taskError('INVALID_REQUEST', 'The end is in the past.', { field: 'end_time', suggestion }));
  }
  if (isPast(startTime, buy, now)) errors.push(startInPast);
  if (errors.length === 0 && (startTime !== undefined || endTime !== undefined) && end <= Date.parse(start)) {
    const field = endTime === undefined ? 'start_time' : 'end_time';
    errors.push(taskError('INVALID_REQUEST', 'The buy would end before it starts.', { field }));
  }
  return errors;
}

/** Whether the start is before the current day. The start that the buy already has is allowed. */
function isPast(
  startTime: string | undefined,
  { startTime: held }: Pick<MediaBuy, 'startTime'>,
  now: Instant,
): boolean {
  if (startTime === undefined || startTime === 'asap') return false;
  const start = Date.parse(startTime);
  return start < startOfDay(now) && start !== Date.parse(held);
}
