import { findTask } from '@switchyard/protocol';
import { authorize, type AuthorizableCaller } from '@switchyard/tenancy';

/** Whether a caller may see its own work of a task: it may start the task, or may read there. */
export function maySeeTask(caller: AuthorizableCaller, name: string): boolean {
  const spec = findTask(name);
  if (spec === undefined) return false;
  return authorize(caller, spec).ok || authorize(caller, { ...spec, permission: 'read' }).ok;
}
