import { defined, type JsonObject } from '@switchyard/values';
import { textAt } from '../../message/pick.js';

/** A reference of 3.1 as the id of the same signal in 3.0. A signal that exists within a product only has no id. */
export function signalIdOf(reference: JsonObject): JsonObject | undefined {
  const id = textAt(reference, 'signal_id');
  const domain = textAt(reference, 'data_provider_domain');
  const address = textAt(reference, 'signal_source_url');
  switch (textAt(reference, 'scope')) {
    case 'data_provider':
      return id === undefined || domain === undefined
        ? undefined
        : { source: 'catalog', data_provider_domain: domain, id };
    case 'signal_source':
      return id === undefined || address === undefined
        ? undefined
        : { source: 'agent', agent_url: address, id };
    default:
      return undefined;
  }
}

/** Ids of signals in 3.0. `isWhole` is false where a reference has none; the caller reports it. */
export function signalIdsOf(
  ids: readonly JsonObject[] | undefined,
  references: readonly JsonObject[] | undefined,
): { readonly ids?: readonly JsonObject[]; readonly isWhole: boolean } {
  const known = (references ?? []).map(signalIdOf);
  const named = [...(ids ?? []), ...known.filter((id) => id !== undefined)];
  return { isWhole: !known.includes(undefined), ...defined({ ids: named.length === 0 ? undefined : named }) };
}
