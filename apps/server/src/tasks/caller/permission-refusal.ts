import { taskError, type PermissionKind, type TaskArea, type TaskError } from '@switchyard/protocol';
import type { GrantDirectory, TenantScope } from '@switchyard/tenancy';

export interface PermissionRefusal {
  readonly code: 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
  readonly suggestion: string;
}

/** Something that a principal may not do. */
export interface MissingPermission {
  readonly area: TaskArea;
  readonly permission: PermissionKind;
  /** Where it is held, but not on what this is about, as text; absent where it is held nowhere. */
  readonly outside?: string;
}

/**
 * Says which permission is missing, in which scope, and who of the same organization can grant it. What it is about is
 * named by the caller alone: nobody learns here that something exists.
 */
export async function permissionRefusal(
  grants: Pick<GrantDirectory, 'holders'> | undefined,
  { organizationId }: TenantScope,
  { area, permission, outside }: MissingPermission,
): Promise<PermissionRefusal> {
  const name = area === 'of_its_task' ? `${permission} in the area of its task` : `${area}.${permission}`;
  const where = outside === undefined ? 'You hold it in no scope.' : `You do not hold it in ${outside}.`;
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: `This needs the permission ${name}. ${where}`,
    suggestion: await whoCanGrant(grants, { organizationId }),
  };
}

/** Who of the organization can grant what a caller lacks, and how. */
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
