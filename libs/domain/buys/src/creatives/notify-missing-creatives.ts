import type { Finding } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { OperationDraft } from '../model/operation-store.js';
import type { CreativeStore, LibraryCreative } from './creative-library.js';
import { isHeld } from './is-own.js';

/** One package of a leg that names creatives of the buyer's library: where the request names them, and what it brings itself. */
export interface CreativesNamed {
  readonly connectionId: string;
  readonly seller: string;
  /** The package in the request, and the member of it that names them. */
  readonly place: string;
  readonly listed: 'creative_ids' | 'creative_assignments';
  readonly ids: readonly string[];
  /** Ids of creatives that come with the package, and so reach the seller with it. */
  readonly brought: readonly string[];
  /** True for a package that the seller has still to make, and to name. */
  readonly isNew: boolean;
}

/**
 * Notes on each leg which creatives its packages name by id that stand in the library and that this seller has not
 * taken from us. The request is sent as it stands: a seller may have them from elsewhere, and says itself what it lacks.
 */
export async function notifyMissingCreatives<Draft extends OperationDraft>(
  creatives: Pick<CreativeStore, 'byIds'> | undefined,
  scope: TenantScope,
  draft: Draft,
  named: readonly CreativesNamed[],
): Promise<Draft> {
  const ids = [...new Set(named.flatMap((one) => one.ids))];
  if (creatives === undefined || ids.length === 0) return draft;
  const library = await creatives.byIds(scope, ids);
  return {
    ...draft,
    legs: draft.legs.map((leg) => {
      // What undoes a buy names no creatives.
      if (leg.task !== draft.operation.task) return leg;
      const of = named.filter(({ connectionId }) => connectionId === leg.connectionId);
      return { ...leg, findings: [...leg.findings, ...of.flatMap((one) => lackingAt(one, library))] };
    }),
  };
}

/** Where the ids stand in the request. */
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

/** Ids of the creatives that a package brings with it. */
export function broughtBy({
  creatives = [],
  fromLibrary = [],
}: {
  readonly creatives?: readonly object[];
  readonly fromLibrary?: readonly { readonly creativeId: string }[];
}): readonly string[] {
  const inline = creatives.flatMap((one) => {
    const id = (one as Readonly<Record<string, unknown>>)['creative_id'];
    return typeof id === 'string' ? [id] : [];
  });
  return [...inline, ...fromLibrary.map(({ creativeId }) => creativeId)];
}
