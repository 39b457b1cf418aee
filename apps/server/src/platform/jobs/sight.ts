import { createHash } from 'node:crypto';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { reachOf } from '@switchyard/tenancy';
import { canonicalJson, isJsonObject, type JsonValue } from '@switchyard/values';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** What a caller can see, permission by permission, as a text that is stored beside what was made for it. */
export function sightOf(caller: PrincipalCaller): string {
  const kinds = Object.entries(caller.permissions) as [PermissionArea, readonly PermissionKind[]][];
  const seen = kinds.flatMap(([area, of]) =>
    of.map((kind) => [`${area}.${kind}`, reachText(caller, area, kind)] as const),
  );
  return canonicalJson(Object.fromEntries(seen));
}

/** Whether a caller sees at least what was seen when this text was made. */
export function seesStill(caller: PrincipalCaller, sight: string): boolean {
  const seen: unknown = JSON.parse(sight);
  if (!isJsonObject(seen)) return false;
  return Object.entries(seen).every(([permission, was]) => {
    const [area, kind] = permission.split('.') as [PermissionArea, PermissionKind];
    const now = reachText(caller, area, kind);
    return now === was || now === everything;
  });
}

const everything = 'everything';

/** Clients and brands are compared by a digest: a person may see thousands. */
function reachText(caller: PrincipalCaller, area: PermissionArea, kind: PermissionKind): string {
  const reach = reachOf(caller, area, kind);
  if (reach.kind === 'everything') return everything;
  const { clientIds, brandDomains, campaignIds, principalId } = reach;
  const parts: JsonValue = [
    ...[clientIds, brandDomains, campaignIds].map((ids) => [...ids].sort()),
    principalId ?? null,
  ];
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 32);
}
