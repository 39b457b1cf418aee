import type { PermissionKind, TaskArea } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import { permissionTable } from './permission-table.js';

/** The part of a caller that the decision needs. */
export type AuthorizableCaller =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'principal';
      readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
    };

/** The part of a task's row that the decision needs. Our own operations always have `credentials`. */
export interface Need {
  readonly access: 'public' | 'limited' | 'credentials';
  readonly area: TaskArea;
  readonly permission: PermissionKind;
}

interface AuthorizationFailure {
  readonly code: 'AUTH_REQUIRED' | 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
}

/**
 * Decides whether a caller may run a task. A caller without credentials may run a limited task, which then returns a
 * reduced answer; a principal gets the full answer, so its permissions are checked there too. A task about another task
 * (`of_its_task`) needs the permission in any area; the right area is checked again once the other task is known.
 */
export function authorize(caller: AuthorizableCaller, need: Need): Result<void, AuthorizationFailure> {
  if (need.access === 'public') return ok(undefined);
  if (caller.kind === 'public') {
    if (need.access === 'limited') return ok(undefined);
    return err({ code: 'AUTH_REQUIRED', message: 'This request needs credentials.' });
  }
  const { area, permission } = need;
  const areas = area === 'of_its_task' ? Object.keys(permissionTable) : [area];
  if (areas.some((candidate) => holds(caller.permissions, candidate, permission))) return ok(undefined);
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
