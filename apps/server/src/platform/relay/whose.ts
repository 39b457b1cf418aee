import { err, ok, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../application/admin.js';
import type { PrincipalCaller } from '../../application/task-call.js';

/**
 * Whose delegations or records a caller means: its own, unless it may look after principals. Another's are as if they
 * were not there, so that nobody learns which ids exist.
 */
export function whose(
  caller: PrincipalCaller,
  principalId: string | undefined,
  kind: 'read' | 'write',
): Result<string | undefined, AdminFailure> {
  if (principalId === caller.principalId) return ok(principalId);
  if (caller.permissions['principals']?.includes(kind) === true) return ok(principalId);
  if (principalId === undefined) return ok(caller.principalId);
  return err({ code: 'NOT_FOUND', message: 'There is no such principal.', field: 'principal_id' });
}
