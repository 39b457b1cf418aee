import type { TaskReply } from '../application/task-call.js';
import { credentialMissing } from './auth.js';
import type { DoorAnswer } from './door-answer.js';

/**
 * A task that needs a credential was called without one. On every door that is an authentication failure of the
 * transport: status, challenge and `error` say so, and the task's own `errors[]` stay beside it.
 */
export function unauthorizedAnswer(reply: TaskReply): DoorAnswer {
  const missing = credentialMissing();
  const first = reply.errors[0];
  const error = first ? { error: { code: first.code, message: first.message } } : {};
  return { ...missing, body: { ...(missing.body as object), ...reply.body, ...error } };
}
