import { findTask } from '@switchyard/protocol';
import { authorize, type AuthorizableCaller } from '@switchyard/tenancy';

/** Whether a caller may look at its own work at a task of this name: who may begin it may, and who may read there. */
export function maySeeTask(caller: AuthorizableCaller, name: string): boolean {
  const spec = findTask(name);
  if (spec === undefined) return false;
  return authorize(caller, spec).ok || authorize(caller, { ...spec, permission: 'read' }).ok;
}
