import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';

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
  readonly area: PermissionArea;
  readonly permission: PermissionKind;
}

export interface AuthorizationFailure {
  readonly code: 'AUTH_REQUIRED' | 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
}

/**
 * Decides whether a caller may do something. A limited task is open to a caller without credentials, and the task
 * itself trims the answer; a principal is held to its permissions there too, since it gets the full answer.
 */
export function authorize(caller: AuthorizableCaller, need: Need): Result<void, AuthorizationFailure> {
  if (need.access === 'public') return ok(undefined);
  if (caller.kind === 'public') {
    if (need.access === 'limited') return ok(undefined);
    return err({ code: 'AUTH_REQUIRED', message: 'This needs credentials.' });
  }
  const held = Object.hasOwn(caller.permissions, need.area) ? caller.permissions[need.area] : undefined;
  if (held?.includes(need.permission) === true) return ok(undefined);
  return err({
    code: 'INSUFFICIENT_PERMISSIONS',
    message: `This needs the permission ${need.area}.${need.permission}.`,
  });
}
