import { prefixId, updateMediaBuy, type TaskError } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { requestedChange } from './requested-change.js';
import { buyerPath, type BuyerPaths } from './buyer-path.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';

type Known = Pick<OperationState, 'operation' | 'packages'>;

/**
 * Returns a seller's error for the buyer, with the name of the seller. A seller counts the packages of its
 * part, the buyer those of the whole request, so the path is translated. A path that cannot be translated is
 * only in the details: a wrong one would lead to another seller's package.
 */
export function translateError(state: Known, leg: Leg, error: TaskError): TaskError {
  const named: TaskError = { ...error, details: { ...error.details, seller: leg.seller } };
  const { field } = error;
  if (field === undefined || leg.task !== state.operation.task) return named;
  const known = buyerPath(field, placesOf(state, leg));
  if (known !== undefined) return { ...named, field: known };
  const { field: sellerField = '', ...rest } = named;
  return { ...rest, details: { ...named.details, seller_field: sellerField } };
}

/** The positions in the buyer's request of the packages that the seller was sent, in the seller's order. */
function placesOf(state: Known, leg: Leg): BuyerPaths {
  const { operation, packages } = state;
  const wrapper = operation.request['updates'];
  const packagesIn = (list: string): readonly JsonObject[] =>
    itemsOf((isJsonObject(wrapper) ? wrapper[list] : undefined) ?? operation.request[list]);
  if (operation.task !== updateMediaBuy.name) {
    const own = packages.filter((item) => item.legId === leg.id).map(({ position }) => position);
    // Of a proposal's packages the buyer wrote only the overrides; the others come after them.
    const written = 'proposal_id' in operation.request ? packagesIn('packages').length : Infinity;
    const places = own.toSorted((left, right) => left - right);
    return { packages: places.map((at) => (at < written ? at : undefined)), new_packages: [] };
  }
  return {
    packages: placesOfUpdates(state, leg, packagesIn('packages')),
    new_packages: placesOfNew(packagesIn('new_packages'), leg.seller),
  };
}

function placesOfUpdates(
  { packages }: Known,
  leg: Leg,
  reported: readonly JsonObject[],
): readonly (number | undefined)[] {
  return (requestedChange(leg)?.packages ?? []).map(({ packageId = '' }) => {
    const item = packages.find(
      (candidate) => candidate.seller === leg.seller && candidate.sellerPackageId === packageId,
    );
    const at = reported.findIndex(({ package_id: id, buyer_ref: reference }) =>
      id === undefined
        ? item?.buyerRef !== undefined && reference === item.buyerRef
        : id === prefixId(leg.seller, packageId),
    );
    return at < 0 ? undefined : at;
  });
}

/** New packages go to the seller in the prefix of the product id, in the buyer's order. */
function placesOfNew(reported: readonly JsonObject[], seller: string): readonly number[] {
  return reported.flatMap(({ product_id: id }, at) =>
    typeof id === 'string' && id.startsWith(`${seller}:`) ? [at] : [],
  );
}

function itemsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
