import { taskError, type TaskError, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import { thingKey, thingsIn } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { EndedLists } from '../model/ports.js';

/** A targeting, and where it stands in the request. */
export interface PlacedTargeting {
  readonly field: string;
  readonly targetingOverlay?: JsonObject;
}

/**
 * Why a request cannot be sent: what a targeting in it names may not be used until it was read again from its owner
 * (docs/protocol/governance.md#changed-lists).
 */
export async function endedLists(
  ended: EndedLists | undefined,
  scope: TenantScope,
  targetings: readonly PlacedTargeting[],
): Promise<readonly TaskError[]> {
  const named = targetings.map(({ targetingOverlay }) => thingsIn(targetingOverlay ?? {}));
  if (ended === undefined || named.flat().length === 0) return [];
  const over = new Set((await ended(scope, named.flat())).map(thingKey));
  return named.flatMap((things, at) => {
    const found = things.find((thing) => over.has(thingKey(thing)));
    if (found === undefined) return [];
    return [
      taskError(
        'GOVERNANCE_UNAVAILABLE',
        `The owner of the list ${found.subject} has ended the use of every copy of it, and it could not be read again since.`,
        {
          field: targetings[at]?.field ?? 'packages',
          suggestion: 'Try again in some minutes, or name another list. Nothing was sent to a seller.',
          details: { list_id: found.subject, agent_url: found.agentUrl },
        },
      ),
    ];
  });
}

/** The targetings of new packages, each at its place in the request. */
export const targetingsOf = (
  packages: readonly { readonly targetingOverlay?: JsonObject }[],
  list = 'packages',
): readonly PlacedTargeting[] =>
  packages.map(({ targetingOverlay }, at) => ({
    field: `${list}[${at}].targeting_overlay`,
    ...(targetingOverlay !== undefined && { targetingOverlay }),
  }));

/** The targetings that a change brings; one that cancels the buy brings none. */
export function targetingsOfUpdate(request: UpdateMediaBuyRequest): readonly PlacedTargeting[] {
  const { canceled, packages, newPackages, targetingOverlay } = request;
  if (canceled === true) return [];
  return [
    ...(targetingOverlay === undefined ? [] : [{ field: 'targeting_overlay', targetingOverlay }]),
    ...targetingsOf(packages),
    ...targetingsOf(newPackages, 'new_packages'),
  ];
}
