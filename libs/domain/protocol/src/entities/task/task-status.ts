export type TaskStatus =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'unknown';

export type Observation = 'applied' | 'stale' | 'duplicate' | 'conflict';

/** Every state that a task can be in, in any form. */
export const taskStatuses: readonly TaskStatus[] = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'unknown',
];
const known: ReadonlySet<string> = new Set(taskStatuses);
const terminal: ReadonlySet<TaskStatus> = new Set<TaskStatus>([
  'completed',
  'failed',
  'canceled',
  'rejected',
]);

/** What may follow each state that is not an end (docs/protocol/task-states.md#states). */
const next: Readonly<Partial<Record<TaskStatus, ReadonlySet<TaskStatus>>>> = {
  submitted: new Set<TaskStatus>(['working', 'input-required', 'auth-required', ...terminal]),
  working: new Set<TaskStatus>(['input-required', 'auth-required', ...terminal]),
  'input-required': new Set<TaskStatus>(['submitted', 'working', ...terminal]),
  'auth-required': new Set<TaskStatus>(['submitted', 'working', 'input-required', ...terminal]),
};

/** Terminal states are never left again. */
export function isTerminal(status: TaskStatus): boolean {
  return terminal.has(status);
}

/**
 * Whether what was just seen of a task replaces what is known.
 *
 * `stale` is a step backwards, or `unknown` over something known; `conflict` is a second, different end: the first
 * stands. Neither is the sender's problem, so both are acknowledged.
 */
export function observe(current: TaskStatus, seen: TaskStatus): Observation {
  if (current === seen) return 'duplicate';
  if (isTerminal(current)) return isTerminal(seen) ? 'conflict' : 'stale';
  if (current === 'unknown') return 'applied';
  return next[current]?.has(seen) === true ? 'applied' : 'stale';
}

/** A peer's word for a task status in our spelling, or `undefined` where it is none: `input_required`, `cancelled`, `TASK_STATE_WORKING`. */
export function readTaskStatus(word: unknown): TaskStatus | undefined {
  if (typeof word !== 'string') return undefined;
  const plain = word
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-');
  const spelled = plain === 'cancelled' ? 'canceled' : plain === 'unspecified' ? 'unknown' : plain;
  return known.has(spelled) ? (spelled as TaskStatus) : undefined;
}
