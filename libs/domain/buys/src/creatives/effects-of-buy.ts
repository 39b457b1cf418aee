import { prefixId } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import { requestedChange, idsIn, objectsIn } from './creatives-of-leg.js';
import { assignmentAt, placementOf, type CreativeEffects } from './creative-effects.js';

/**
 * The effects on creatives of a buy that a seller made or changed: creatives sent with a package are in the
 * seller's library, and a package has the creatives that it was sent with. They are read from the sent
 * request, because some forms cannot carry them.
 */
export function effectsOfBuy(state: OperationState, leg: Leg): CreativeEffects {
  const requested = requestedChange(leg);
  const isChange = leg.sellerBuyId !== undefined;
  const packages = objectsIn(requested['packages']);
  const made = state.packages.filter((item) => item.legId === leg.id);
  const fresh = [...made].sort((one, other) => one.position - other.position);
  const added = (isChange ? objectsIn(requested['new_packages']) : packages).map((item, at) => ({
    item,
    id: fresh[at]?.sellerPackageId,
  }));
  const changed = isChange ? packages.map((item) => ({ item, id: textOf(item['package_id']) })) : [];
  const known = [...added, ...changed].flatMap(({ item, id }) =>
    id === undefined ? [] : [{ item, packageId: prefixId(leg.seller, id) }],
  );
  return {
    placements: known.flatMap(({ item }) =>
      idsIn(item['creatives']).map((id) => ({ ...placementOf(leg, id, 'processing'), isAccepted: true })),
    ),
    assignments: known.flatMap(({ item, packageId }) =>
      creativesOf(item).map((creativeId) => ({ ...assignmentAt(leg), creativeId, packageId })),
    ),
    released: isOver(requested)
      ? state.packages.flatMap(({ seller, sellerPackageId: id }) =>
          seller === leg.seller && id !== undefined ? [{ packageId: prefixId(seller, id), kept: [] }] : [],
        )
      : known.flatMap(({ item, packageId }) => releasedBy(item, packageId)),
  };
}

/**
 * A list of ids replaces the previous one; a canceled package releases its creatives
 * (docs/protocol/media-buys.md#changes).
 */
function releasedBy(item: JsonObject, packageId: string): NonNullable<CreativeEffects['released']> {
  if (item['canceled'] === true) return [{ packageId, kept: [] }];
  const isListed = Array.isArray(item['creative_ids']) || Array.isArray(item['creative_assignments']);
  return isListed ? [{ packageId, kept: creativesOf(item) }] : [];
}

function isOver(requested: JsonObject): boolean {
  return requested['canceled'] === true || requested['status'] === 'canceled';
}

function creativesOf(item: JsonObject): readonly string[] {
  const named = Array.isArray(item['creative_ids']) ? item['creative_ids'] : [];
  const ids = named.filter((id) => typeof id === 'string' && id !== '') as string[];
  return [...new Set([...ids, ...idsIn(item['creative_assignments']), ...idsIn(item['creatives'])])];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
