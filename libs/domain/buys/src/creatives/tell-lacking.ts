import { createMediaBuy, type Finding } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { OperationDraft } from '../operation-store.js';
import type { PlannedLeg } from '../plan-buy.js';
import type { CreativeStore, LibraryCreative } from './creative-library.js';

/**
 * Notes on each leg which creatives its packages name by id that stand in the library and that this seller has not
 * taken from us. The buy is sent as it stands: a seller may have them from elsewhere, and says itself what it lacks.
 */
export async function tellLacking(
  creatives: Pick<CreativeStore, 'byIds'> | undefined,
  scope: TenantScope,
  draft: OperationDraft,
  planned: readonly PlannedLeg[],
): Promise<OperationDraft> {
  const named = planned.flatMap(({ packages }) =>
    packages.flatMap(({ request }) => request.creativeIds ?? []),
  );
  if (creatives === undefined || named.length === 0) return draft;
  const library = await creatives.byIds(scope, [...new Set(named)]);
  return {
    ...draft,
    legs: draft.legs.map((leg) => {
      const of = planned.find(({ connection }) => connection.id === leg.connectionId);
      if (of === undefined || leg.task !== createMediaBuy.name) return leg;
      return { ...leg, findings: [...leg.findings, ...lackingAt(of, library)] };
    }),
  };
}

function lackingAt(
  { connection, packages }: PlannedLeg,
  library: ReadonlyMap<string, LibraryCreative>,
): readonly Finding[] {
  const holds = ({ placements }: LibraryCreative): boolean =>
    placements.some(
      (one) => one.connectionId === connection.id && one.syncedAt !== undefined && one.status !== 'archived',
    );
  return packages.flatMap(({ request, position }) =>
    (request.creativeIds ?? []).flatMap((id): readonly Finding[] => {
      const known = library.get(id);
      if (known === undefined || holds(known)) return [];
      const message =
        `The creative ${id} is in your library, and ${connection.slug} has not taken it: call sync_creatives with ` +
        `it and an assignment to this package, once the package has its package_id.`;
      return [{ code: 'CREATIVE_NOT_AT_SELLER', message, field: `packages[${position}].creative_ids` }];
    }),
  );
}
