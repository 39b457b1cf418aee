import type { LeaseSecrets, ReadPorts } from '@switchyard/buys';
import { reportModeAfter, type ConnectionDirectory, type SellerTransport } from '@switchyard/sellers';
import type { Clock } from '@switchyard/values';
import { inspectSeller } from './inspect-seller.js';

export interface RelearnDeps {
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'saveCapabilities'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/** How long what a seller just said of itself is not asked for again, in milliseconds: else each refusal is a look. */
const heardForMs = 60_000;

/**
 * Looks at a seller that no longer knows what we speak to it, keeps what it says of itself and answers its connection
 * as it is now. Nothing where it was looked at a moment ago, or does not answer: then its refusal stands.
 */
export function relearnSeller(deps: RelearnDeps): NonNullable<ReadPorts['relearn']> {
  const { clock, connections } = deps;
  const looks = new Map<string, Promise<void>>();
  return async (scope, { id }) => {
    const known = await connections.byId(scope, id);
    if (known === undefined) return undefined;
    // Whoever comes while somebody looks takes what that one finds.
    const under = looks.get(id);
    if (under === undefined && clock.now() - (known.capabilitiesAt ?? 0) < heardForMs) return known;
    const look =
      under ??
      inspectSeller(deps, scope, known).then(async (found) => {
        if (found.ok) await connections.saveCapabilities(scope, known, found.value, clock.now());
      });
    looks.set(id, look);
    await look.finally(() => looks.delete(id));
    return connections.byId(scope, id);
  };
}

/** Keeps on the connection how a seller takes the registration of its reports, by what it refused. */
export function learnReportMode({
  connections,
  clock,
}: {
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'update'>;
  readonly clock: Clock;
}): NonNullable<ReadPorts['learnReports']> {
  return async (scope, { id }, refused) => {
    const known = await connections.byId(scope, id);
    const reportRegistration = known === undefined ? undefined : reportModeAfter(known, refused);
    if (reportRegistration === undefined) return undefined;
    if (reportRegistration !== known?.reportRegistration)
      await connections.update(scope, id, { reportRegistration }, clock.now());
    return connections.byId(scope, id);
  };
}
