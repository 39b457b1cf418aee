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

type Observation = 'applied' | 'stale' | 'duplicate' | 'conflict';

/** Every task status, in any form. */
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

/** The states that may follow each state that is not final (docs/protocol/task-states.md#states). */
const next: Readonly<Partial<Record<TaskStatus, ReadonlySet<TaskStatus>>>> = {
  submitted: new Set<TaskStatus>(['working', 'input-required', 'auth-required', ...terminal]),
  working: new Set<TaskStatus>(['input-required', 'auth-required', ...terminal]),
  'input-required': new Set<TaskStatus>(['submitted', 'working', ...terminal]),
  'auth-required': new Set<TaskStatus>(['submitted', 'working', 'input-required', ...terminal]),
};

/** Whether the state is final. */
export function isTerminal(status: TaskStatus): boolean {
  return terminal.has(status);
}

/**
 * Returns how a received status changes the known one.
 *
 * `stale` is an earlier status, or `unknown` after a known one; `conflict` is a second, different final status: the
 * first one stays. Neither is an error of the sender, so both are acknowledged.
 */
export function observe(current: TaskStatus, seen: TaskStatus): Observation {
  if (current === seen) return 'duplicate';
  if (isTerminal(current)) return isTerminal(seen) ? 'conflict' : 'stale';
  if (current === 'unknown') return 'applied';
  return next[current]?.has(seen) === true ? 'applied' : 'stale';
}

/** Reads a peer's task status (`input_required`, `cancelled`, `TASK_STATE_WORKING`); `undefined` if unknown. */
export function readTaskStatus(word: unknown): TaskStatus | undefined {
  if (typeof word !== 'string') return undefined;
  const plain = word
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-');
  const spelled = plain === 'cancelled' ? 'canceled' : plain === 'unspecified' ? 'unknown' : plain;
  return known.has(spelled) ? (spelled as TaskStatus) : undefined;
}
