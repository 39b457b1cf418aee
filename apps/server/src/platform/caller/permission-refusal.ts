import {
  taskError,
  type PermissionArea,
  type PermissionKind,
  type TaskArea,
  type TaskError,
} from '@switchyard/protocol';
import { scopesGiving, type GrantDirectory, type TenantScope } from '@switchyard/tenancy';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

interface PermissionRefusal {
  readonly code: 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
  readonly suggestion: string;
}

/** A permission that a principal lacks. */
interface MissingPermission {
  readonly area: TaskArea;
  readonly permission: PermissionKind;
  /** The object, as text, if the permission is held elsewhere; absent if it is held nowhere. */
  readonly outside?: string;
}

/**
 * The refusal that names the missing permission, its scope, and who in the organization can grant it. It names only
 * what the caller named, so that it does not reveal what exists.
 */
export async function permissionRefusal(
  grants: Pick<GrantDirectory, 'holders'> | undefined,
  { organizationId, program }: TenantScope & Pick<PrincipalCaller, 'program'>,
  { area, permission, outside }: MissingPermission,
): Promise<PermissionRefusal> {
  const name = area === 'of_its_task' ? `${permission} in the area of its task` : `${area}.${permission}`;
  const where =
    outside === undefined ? 'You do not have it in any scope.' : `You do not have it in ${outside}.`;
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: `This needs the permission ${name}. ${where}`,
    suggestion:
      (program === undefined || area === 'of_its_task' ? undefined : whichScope(area, permission)) ??
      (await whoCanGrant(grants, { organizationId })),
  };
}

/** How a program gets a permission, if its person has it. */
function whichScope(area: PermissionArea, permission: PermissionKind): string | undefined {
  const [scope] = scopesGiving(area, permission);
  if (scope === undefined) return undefined;
  return `A program has it with the scope ${scope}: let it ask for that, and choose it when you let the program in again. You must have the permission yourself.`;
}

/** Who in the organization can grant the missing permission, and how. */
export async function whoCanGrant(
  grants: Pick<GrantDirectory, 'holders'> | undefined,
  { organizationId }: TenantScope,
): Promise<string> {
  const granting = { area: 'principals', kind: 'write' } as const;
  const names = (await grants?.holders({ organizationId }, granting)) ?? [];
  const who = names.length === 0 ? 'an admin of the organization' : names.join(' or ');
  return `Ask ${who} to grant it: switchyard grants add PRINCIPAL --role ROLE --scope SCOPE.`;
}

/** The same as an error of a task. */
export function permissionError({ code, message, suggestion }: PermissionRefusal): TaskError {
  return taskError(code, message, { suggestion });
}
