import type { PermissionArea } from '@switchyard/protocol';
import type { ChangeFilter } from '@switchyard/store';
import { authorize, reachOf, type Reach } from '@switchyard/tenancy';
import type { PrincipalCaller } from '../tasks/task-call.js';

interface KindRule {
  /** The list of these objects needs `read` on this area. */
  readonly area: PermissionArea;
  /** The objects belong to the organization: whoever may read their list sees all of them. */
  readonly isShared?: true;
}

/** Every kind of object whose changes can be followed, and its permission. */
export const changeKinds = {
  account: { area: 'principals', isShared: true },
  alarm: { area: 'sellers', isShared: true },
  approval: { area: 'media_buys' },
  brand: { area: 'media_buys' },
  campaign: { area: 'media_buys' },
  client: { area: 'media_buys' },
  creative: { area: 'creatives' },
  credential: { area: 'sellers', isShared: true },
  delegation: { area: 'delegations' },
  delivery: { area: 'reports' },
  event: { area: 'reports' },
  grant: { area: 'principals', isShared: true },
  impairment: { area: 'media_buys' },
  key: { area: 'principals', isShared: true },
  media_buy: { area: 'media_buys' },
  operation: { area: 'media_buys' },
  outbox_event: { area: 'media_buys' },
  principal: { area: 'principals', isShared: true },
  role: { area: 'principals', isShared: true },
  seller: { area: 'sellers', isShared: true },
  team: { area: 'principals', isShared: true },
} as const satisfies Record<string, KindRule>;

export type ChangeKind = keyof typeof changeKinds;

/**
 * What a caller may follow, by the permission and reach of each kind's list. Empty if it may follow none of the
 * requested kinds.
 */
export function filtersFor(
  caller: PrincipalCaller,
  wanted: readonly string[] = Object.keys(changeKinds),
): readonly ChangeFilter[] {
  const filters = new Map<string, { readonly kinds: string[]; readonly reach: Reach }>();
  for (const [kind, { area, isShared }] of Object.entries<KindRule>(changeKinds)) {
    if (!wanted.includes(kind)) continue;
    if (!authorize(caller, { access: 'credentials', area, permission: 'read' }).ok) continue;
    const reach: Reach = isShared === true ? { kind: 'everything' } : reachOf(caller, area, 'read');
    const key = JSON.stringify(reach);
    const known = filters.get(key) ?? { kinds: [], reach };
    known.kinds.push(kind);
    filters.set(key, known);
  }
  return [...filters.values()];
}
