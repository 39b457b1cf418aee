export interface QueueFailure {
  readonly code: 'queue_unavailable';
  readonly message: string;
}

/** Names the failed action and the driver's code. The driver's message is left out: it may quote a password. */
export function queueFailure(what: string, error: unknown): QueueFailure {
  return { code: 'queue_unavailable', message: `${what} (${nameOf(error)}).` };
}

function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown error';
}
