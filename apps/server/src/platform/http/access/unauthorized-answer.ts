import { isJsonObject, type JsonValue } from '@switchyard/values';
import type { TaskReply } from '../../tasks/call/task-call.js';
import { credentialMissing } from './auth.js';
import type { HttpAnswer } from '../http-answer.js';

/**
 * The answer for a task that was called without the credential or signature it needs: an authentication failure of the
 * transport on every protocol. Status, challenge and `error` say so, and the task's own `errors[]` stay beside them.
 */
export function unauthorizedAnswer(reply: TaskReply): HttpAnswer {
  const missing = credentialMissing();
  const first = reply.errors[0];
  if (!first) return missing;
  const code = first.code.toLowerCase();
  const headers = code.startsWith('request_signature_')
    ? { 'www-authenticate': `Signature error="${code}"` }
    : missing.headers;
  return {
    status: 401,
    ...(headers ? { headers } : {}),
    body: { ...reply.body, error: { code: spelled(reply) ?? first.code, message: first.message } },
  };
}

/** The code as the task names it: some codes differ between dialects (docs/protocol/requests-and-versions.md#dialects). */
function spelled({ body }: TaskReply): string | undefined {
  const [item]: readonly JsonValue[] = Array.isArray(body['errors']) ? body['errors'] : [];
  return isJsonObject(item) && typeof item['code'] === 'string' ? item['code'] : undefined;
}
