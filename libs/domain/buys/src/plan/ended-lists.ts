import { taskError, type CreateMediaBuyRequest, type TaskError } from '@switchyard/protocol';
import { thingKey, thingsIn } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { EndedLists } from '../model/ports.js';

/**
 * Why packages of a new buy cannot be sent: what their targeting names may not be used until it was read again from its owner
 * (docs/protocol/governance.md#changed-lists).
 */
export async function endedLists(
  ended: EndedLists | undefined,
  scope: TenantScope,
  packages: CreateMediaBuyRequest['packages'],
): Promise<readonly TaskError[]> {
  const named = packages.map(({ targetingOverlay }) => thingsIn(targetingOverlay ?? {}));
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
          field: `packages[${at}].targeting_overlay`,
          suggestion: 'Try again in some minutes, or name another list. Nothing was sent to a seller.',
          details: { list_id: found.subject, agent_url: found.agentUrl },
        },
      ),
    ];
  });
}
