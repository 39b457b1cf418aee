import { defined, type JsonObject } from '@switchyard/values';
import { objectAt, textAt } from '../../message/pick.js';

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

/**
 * The names of a `get_signals` request that are not among the signals of its answer: its members, for example
 * `signal_refs[2]`. A signal that exists within one product only cannot be looked up, and is not listed.
 */
export function unknownSignals(
  requested: { readonly ids?: readonly JsonObject[]; readonly references?: readonly JsonObject[] },
  signals: readonly JsonObject[],
): readonly string[] {
  const known = new Set(
    signals.flatMap((signal) => {
      const reference = objectAt(signal, 'signal_ref');
      const ids = [
        objectAt(signal, 'signal_id'),
        reference === undefined ? undefined : signalIdOf(reference),
      ];
      return ids.flatMap((id) => (id === undefined ? [] : [keyOf(id)]));
    }),
  );
  const missing = (member: string, ids: readonly (JsonObject | undefined)[]): readonly string[] =>
    ids.flatMap((id, at) => (id === undefined || known.has(keyOf(id)) ? [] : [`${member}[${at}]`]));
  return [
    ...missing('signal_refs', (requested.references ?? []).map(signalIdOf)),
    ...missing('signal_ids', requested.ids ?? []),
  ];
}

function keyOf(id: JsonObject): string {
  const names = ['source', 'data_provider_domain', 'agent_url', 'id'];
  return JSON.stringify(names.map((name) => textAt(id, name) ?? null));
}
