import type { Finding } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { OperationDraft } from '../model/operation-store.js';
import type { CreativeStore, LibraryCreative } from '../model/creative-library.js';
import { isHeld } from '../model/creative-owner.js';

/** A package of a leg that names creatives of the library: the member with their ids, and the creatives it contains. */
export interface CreativesNamed {
  readonly connectionId: string;
  readonly seller: string;
  /** The package in the request, and its member that names them. */
  readonly place: string;
  readonly listed: 'creative_ids' | 'creative_assignments';
  readonly ids: readonly string[];
  /** Ids of creatives that are sent with the package. */
  readonly brought: readonly string[];
  /** True for a package that the seller has not created yet. */
  readonly isNew: boolean;
}

/**
 * Adds a finding to each leg for creatives of the library that its packages name by id and that this seller has not
 * accepted from us. The request stays unchanged: a seller may have them from elsewhere, and reports the missing.
 */
export async function notifyMissingCreatives<Draft extends OperationDraft>(
  creatives: Pick<CreativeStore, 'byIds'> | undefined,
  scope: TenantScope,
  draft: Draft,
  named: readonly CreativesNamed[],
): Promise<Draft> {
  const ids = [...new Set(named.flatMap((request) => request.ids))];
  if (creatives === undefined || ids.length === 0) return draft;
  const library = await creatives.byIds(scope, ids);
  return {
    ...draft,
    legs: draft.legs.map((leg) => {
      // The cancellation legs of a buy name no creatives.
      if (leg.task !== draft.operation.task) return leg;
      const of = named.filter(({ connectionId }) => connectionId === leg.connectionId);
      return { ...leg, findings: [...leg.findings, ...of.flatMap((entry) => lackingAt(entry, library))] };
    }),
  };
}

/** The path of the ids in the request. */
export function listedIn({ place, listed }: Pick<CreativesNamed, 'place' | 'listed'>): string {
  return `${place}.${listed}`;
}

function lackingAt(named: CreativesNamed, library: ReadonlyMap<string, LibraryCreative>): readonly Finding[] {
  const { connectionId, seller, ids, brought, isNew } = named;
  return ids.flatMap((id): readonly Finding[] => {
    if (!library.has(id) || brought.includes(id) || isHeld(id, connectionId, { library })) return [];
    const message =
      `The creative ${id} is in your library, and ${seller} has not taken it: call sync_creatives with it and an ` +
      `assignment to this package${isNew ? ', once the package has its package_id' : ''}.`;
    return [{ code: 'CREATIVE_NOT_AT_SELLER', message, field: listedIn(named) }];
  });
}

/** Ids of the creatives that a package contains. */
export function broughtBy({
  creatives = [],
  fromLibrary = [],
}: {
  readonly creatives?: readonly object[];
  readonly fromLibrary?: readonly { readonly creativeId: string }[];
}): readonly string[] {
  const inline = creatives.flatMap((creative) => {
    const id = (creative as Readonly<Record<string, unknown>>)['creative_id'];
    return typeof id === 'string' ? [id] : [];
  });
  return [...inline, ...fromLibrary.map(({ creativeId }) => creativeId)];
}
