import { randomUUID } from 'node:crypto';
import type { Json } from './buy-request.js';
import type { Neighbour, NeighbourRequest } from './neighbour-requests.js';
import type { Named } from './task-requests.js';

const keyed = (): Json => ({ adcp_version: '3.1', idempotency_key: randomUUID() });

const change = ({ mediaBuyId }: Named, changes: Json): readonly [string, Json] => [
  'update_media_buy',
  { ...keyed(), media_buy_id: mediaBuyId, ...changes },
];
/** Creatives or targeting for the buy's existing package, and for one more. */
const inPackages =
  (part: (named: Named) => Json, wrap: (changes: Json) => Json = (changes) => changes): NeighbourRequest =>
  (own, there) =>
    change(own, wrap({ packages: [{ package_id: own.packageId, ...part(there) }] }));
const inNewPackages =
  (part: (named: Named) => Json, wrap: (changes: Json) => Json = (changes) => changes): NeighbourRequest =>
  (own, there) =>
    change(own, wrap({ new_packages: [{ ...wantedOf(own), ...part(there) }] }));
const inUpdates = (changes: Json): Json => ({ updates: changes });

const shown = ({ creativeId }: Named): Json => ({ creative_ids: [creativeId] });
const assigned = ({ creativeId }: Named): Json => ({
  creative_assignments: [{ creative_id: creativeId, weight: 50 }],
});

/** Updates of its own running buy, correct except for one name. Requests that end an item come last. */
export const neighbourChanges: Readonly<Record<string, NeighbourRequest>> = {
  'a package beside its own, to be given another budget': (own, { packageId }) =>
    change(own, {
      packages: [...new Set([own.packageId, packageId])].map((id) => ({ package_id: id, budget: 1001 })),
    }),
  'a package, given another budget in updates': (own, { packageId }) =>
    change(own, inUpdates({ packages: [{ package_id: packageId, budget: 1002 }] })),
  'a package of the older forms, by its reference': (own, { packageRef }) => [
    'update_media_buy',
    { buyer_ref: own.buyerRef, packages: [{ buyer_ref: packageRef, budget: 1003 }] },
  ],
  'a package of the older forms, by its reference in updates': (own, { packageRef }) => [
    'update_media_buy',
    { buyer_ref: own.buyerRef, updates: { packages: [{ buyer_ref: packageRef, budget: 1004 }] } },
  ],
  'a buy of the older forms, by its reference': (_own, { buyerRef }) => [
    'update_media_buy',
    { buyer_ref: buyerRef, end_time: '2098-01-01T00:00:00Z' },
  ],
  'a buy that its own package is to be in': (own, { mediaBuyId }) =>
    change({ ...own, mediaBuyId }, { packages: [{ package_id: own.packageId, budget: 1005 }] }),
  'a creative that its package is to show': inPackages(shown),
  'a creative that its package is to show, in updates': inPackages(shown, inUpdates),
  'a creative that is assigned to its package': inPackages(assigned),
  'a creative that is assigned to its package, in updates': inPackages(assigned, inUpdates),
  'a creative beside its own that its package is to show': (own, { creativeId }) =>
    change(own, {
      packages: [
        {
          package_id: own.packageId,
          creative_ids: [...new Set([own.creativeId, creativeId])],
          paused: false,
        },
      ],
    }),
  'a creative that a package of the older forms is to show': (own, there) => [
    'update_media_buy',
    { buyer_ref: own.buyerRef, packages: [{ buyer_ref: own.packageRef, ...shown(there) }] },
  ],
  'a creative that one more package is to show': inNewPackages(shown),
  'a creative that one more package is to show, in updates': inNewPackages(shown, inUpdates),
  'a creative that is assigned to one more package': inNewPackages(assigned),
  'a creative that is assigned to one more package, in updates': inNewPackages(assigned, inUpdates),
  'an account of a change': (own, { accountId }) =>
    change(own, {
      account: { account_id: accountId },
      packages: [{ package_id: own.packageId, budget: 1006 }],
    }),
  'a package that is to rest': (own, { packageId }) =>
    change(own, { packages: [{ package_id: packageId, paused: true }] }),
  'a package that is to be called off': (own, { packageId }) =>
    change(own, { packages: [{ package_id: packageId, canceled: true }] }),
  'a buy that is to rest': (own, { mediaBuyId }) => change({ ...own, mediaBuyId }, { paused: true }),
  'a buy that is to be called off': (own, { mediaBuyId }) =>
    change({ ...own, mediaBuyId }, { canceled: true }),
};

function wantedOf({ wanted }: Neighbour): Json {
  const { creatives: _none, context: _context, ...part } = wanted;
  return part;
}
