import type { JobsShown } from '@switchyard/store';
import { authorize, reachOf } from '@switchyard/tenancy';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Permission } from '../routes/route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { AnyJobKind } from './job-kind.js';

/** The two parts of a permission. */
export function areaOf(needs: Permission): {
  readonly area: PermissionArea;
  readonly permission: PermissionKind;
} {
  const [area, permission] = needs.split('.') as [PermissionArea, PermissionKind];
  return { area, permission };
}

/** The jobs that a caller may see, or those that it may also cancel and repeat, by the permission of each kind. */
export function jobsShown(
  kinds: readonly Pick<AnyJobKind, 'name' | 'needs'>[],
  caller: PrincipalCaller,
  to: 'see' | 'change',
): readonly JobsShown[] {
  const shown = new Map<string, { readonly kinds: string[] } & JobsShown>();
  for (const { name, needs } of kinds) {
    const { area, permission } = areaOf(needs);
    const needed = to === 'see' ? 'read' : permission;
    if (!authorize(caller, { access: 'credentials', area, permission: needed }).ok) continue;
    const held = reachOf(caller, area, needed);
    // Who started a job sees it, whatever it is about.
    const reach = held.kind === 'everything' ? held : { ...held, principalId: caller.principalId };
    const key = JSON.stringify(reach);
    const known = shown.get(key) ?? { kinds: [], reach };
    known.kinds.push(name);
    shown.set(key, known);
  }
  return [...shown.values()];
}
