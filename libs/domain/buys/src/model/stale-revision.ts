import { type TaskError, taskError } from '@switchyard/protocol';

/** The error when the buy changed since the caller read it. */
export function staleRevision(current: number): TaskError {
  return taskError('CONFLICT', 'The buy has changed since this revision.', {
    field: 'revision',
    suggestion: 'Read the buy again with get_media_buys, and repeat the change under a new key.',
    details: { revision: current },
  });
}
