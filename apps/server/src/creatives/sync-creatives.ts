import { previewSync, syncCreatives as sync, type CreativePorts } from '@switchyard/buys';
import { syncCreatives as task, taskError, type SyncCreativesRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { mutationOf } from '../platform/tasks/operation/mutation.js';
import { settleAnswer } from '../platform/tasks/operation/operation-outcome.js';
import { writeAnswer } from '../platform/tasks/answer/write-answer.js';

export async function syncCreatives(
  deps: HandlerDeps,
  handled: HandledCall<SyncCreativesRequest>,
): Promise<Handled> {
  const { request, principal, version } = handled;
  // Removing needs a separate permission, beside that for adding.
  if (request.deleteMissing && principal?.permissions['creatives']?.includes('delete') !== true) {
    const message = 'delete_missing needs the permission creatives.delete.';
    const suggestion = 'Leave out delete_missing, or request the permission.';
    return {
      kind: 'failed',
      errors: [taskError('PERMISSION_DENIED', message, { field: 'delete_missing', suggestion })],
    };
  }
  const ports: CreativePorts = { ...deps.ports, creatives: deps.creatives };
  const mutation = mutationOf(deps, handled);
  if (request.dryRun) {
    // A preview calls sellers in the brand's name too.
    const allowed = await mutation.authorize?.({ operation: { task: task.name } });
    if (allowed?.ok === false) return { kind: 'failed', errors: allowed.error };
    const previewed = await previewSync(ports, mutation);
    if (!previewed.ok) return { kind: 'failed', errors: previewed.error };
    const payload = writeAnswer(task, previewed.value, version.profile);
    return { kind: 'done', status: 'completed', payload };
  }
  const done = await sync(ports, mutation);
  return done.ok ? settleAnswer(deps, handled, done.value) : { kind: 'failed', errors: done.error };
}
