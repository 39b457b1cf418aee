import { readBuyStatus } from './buy-status.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Form } from '../../versions/wire-profile.js';

type Filter = string | readonly string[] | undefined;

/** The states that match a filter of any form: a status of an older form covers several of 3.x. */
export function statusesOf(filter: Filter, form: Form): readonly string[] | undefined {
  if (filter === undefined) return undefined;
  const older = olderWords[form] ?? {};
  return wordsIn(filter).flatMap((word) =>
    Object.hasOwn(older, word) ? (older[word] ?? word) : (readBuyStatus(word) ?? word),
  );
}

/** One error for each unknown status: it would match nothing, as if there were no such buys. */
export function statusFilterFaults(filter: Filter): readonly TaskError[] {
  return wordsIn(filter ?? []).flatMap((word, at) =>
    readBuyStatus(word) === undefined
      ? [
          taskError('VALIDATION_ERROR', 'This is no status that a media buy can have.', {
            field: typeof filter === 'string' ? 'status_filter' : `status_filter[${at}]`,
            suggestion:
              'Send any of pending_creatives, pending_start, active, paused, completed, rejected, canceled.',
          }),
        ]
      : [],
  );
}

function wordsIn(filter: string | readonly string[]): readonly string[] {
  return typeof filter === 'string' ? [filter] : filter;
}

const pending = ['pending_creatives', 'pending_start'];

const olderWords: Partial<Record<Form, Readonly<Record<string, readonly string[]>>>> = {
  service: { pending },
  '2.5': { pending, pending_activation: pending, completed: ['completed', 'rejected', 'canceled'] },
};
