import type { PermissionKind, TaskArea } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import { permissionTable } from './permission-table.js';

/** As much of a caller as the decision needs: any richer caller fits. */
export type AuthorizableCaller =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'principal';
      readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
    };

/** As much of a task's row as the decision needs. Operations of our own are `credentials` always. */
export interface Need {
  readonly access: 'public' | 'limited' | 'credentials';
  readonly area: TaskArea;
  readonly permission: PermissionKind;
}

export interface AuthorizationFailure {
  readonly code: 'AUTH_REQUIRED' | 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
}

/**
 * Decides whether a caller may do something. A limited task is open to a caller without credentials, and the task
 * itself trims the answer; a principal is held to its permissions there too, since it gets the full answer.
 *
 * What asks about another task is open to whoever holds the permission in any area: which area it has to be is decided
 * again once that task is known.
 */
export function authorize(caller: AuthorizableCaller, need: Need): Result<void, AuthorizationFailure> {
  if (need.access === 'public') return ok(undefined);
  if (caller.kind === 'public') {
    if (need.access === 'limited') return ok(undefined);
    return err({ code: 'AUTH_REQUIRED', message: 'This request needs credentials.' });
  }
  const { area, permission } = need;
  const areas = area === 'of_its_task' ? Object.keys(permissionTable) : [area];
  if (areas.some((one) => holds(caller.permissions, one, permission))) return ok(undefined);
  const wanted = area === 'of_its_task' ? `${permission} in the area of its task` : `${area}.${permission}`;
  return err({ code: 'INSUFFICIENT_PERMISSIONS', message: `This needs the permission ${wanted}.` });
}

function holds(
  permissions: Readonly<Record<string, readonly string[] | undefined>>,
  area: string,
  permission: PermissionKind,
): boolean {
  return Object.hasOwn(permissions, area) && permissions[area]?.includes(permission) === true;
}
