import { prefixId, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { MediaBuyRecord } from '../model/operation.js';
import type { UpdatePlan } from '../plan/update-plan.js';
import { broughtBy, type CreativesNamed } from './notify-missing-creatives.js';

/** The library creatives that a change of a buy names, per package. */
export function creativesOfUpdate(
  request: UpdateMediaBuyRequest,
  { packages }: Pick<MediaBuyRecord, 'packages'>,
  plan: UpdatePlan,
): readonly CreativesNamed[] {
  return plan.changes.flatMap(({ connection, request: part, added }): readonly CreativesNamed[] => {
    const at = { connectionId: connection.id, seller: connection.slug };
    const changed = part.packages.map((update): CreativesNamed => {
      const item = packages.find(
        (candidate) => candidate.seller === connection.slug && candidate.sellerPackageId === update.packageId,
      );
      const place = request.packages.findIndex(
        (candidate) =>
          candidate.packageId === prefixId(connection.slug, update.packageId ?? '') ||
          (candidate.packageId === undefined &&
            candidate.buyerRef !== undefined &&
            candidate.buyerRef === item?.buyerRef),
      );
      return {
        ...at,
        place: `packages[${place}]`,
        listed: 'creative_assignments',
        ids: (update.creativeAssignments ?? []).flatMap(idOf),
        brought: broughtBy(update),
        isNew: false,
      };
    });
    const fresh = added.map(({ request: wanted, position }): CreativesNamed => ({
      ...at,
      place: `new_packages[${position}]`,
      listed: 'creative_ids',
      ids: wanted.creativeIds ?? [],
      brought: broughtBy(wanted),
      isNew: true,
    }));
    return [...changed, ...fresh];
  });
}

function idOf({ creative_id: id }: Readonly<Record<string, unknown>>): readonly string[] {
  return typeof id === 'string' ? [id] : [];
}
