import type { LeaseSecrets, ReadPorts } from '@switchyard/buys';
import {
  reportModeAfter,
  throughLogin,
  type Connection,
  type ConnectionDirectory,
  type SellerTransport,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import { inspectSeller } from './onboarding/inspect-seller.js';

interface RelearnDeps {
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'saveCapabilities'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/** How long capabilities are not read again, in milliseconds: otherwise each refusal would cause a read. */
const rememberedForMs = 60_000;

/**
 * Reads the capabilities of a seller that refused our version, stores them and answers the updated connection.
 * Undefined if they were read a moment ago or the seller does not answer: then the refusal stays.
 */
export function relearnSeller(deps: RelearnDeps): NonNullable<ReadPorts['relearn']> {
  const { clock, connections } = deps;
  const refreshes = new Map<string, Promise<void>>();
  return async (scope, { id, login }) => {
    const known = await connections.byId(scope, id);
    if (known === undefined) return undefined;
    // A caller that comes during a read shares its result.
    const under = refreshes.get(id);
    if (under === undefined && clock.now() - (known.capabilitiesAt ?? 0) < rememberedForMs)
      return throughLogin(known, login);
    const refresh =
      under ??
      inspectSeller(deps, scope, known).then(async (found) => {
        if (found.ok) await connections.saveCapabilities(scope, known, found.value, clock.now());
      });
    refreshes.set(id, refresh);
    await refresh.finally(() => refreshes.delete(id));
    return loggedIn(connections, scope, id, login);
  };
}

/** Stores on the connection in which form a seller accepts the registration of reports, learnt from its refusals. */
export function learnReportMode({
  connections,
  clock,
}: {
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'update'>;
  readonly clock: Clock;
}): NonNullable<ReadPorts['learnReports']> {
  return async (scope, { id, login }, refused) => {
    const known = await connections.byId(scope, id);
    const reportRegistration = known === undefined ? undefined : reportModeAfter(known, refused);
    if (reportRegistration === undefined) return undefined;
    if (reportRegistration !== known?.reportRegistration)
      await connections.update(scope, id, { reportRegistration }, clock.now());
    return loggedIn(connections, scope, id, login);
  };
}

/** Stores on the connection that a seller refused a question for products without an account. */
export function learnAccount({
  connections,
  clock,
}: {
  readonly connections: Pick<ConnectionDirectory, 'update'>;
  readonly clock: Clock;
}): NonNullable<ReadPorts['learnAccount']> {
  return async (scope, { id }) => {
    await connections.update(scope, id, { wantsAccount: true }, clock.now());
  };
}

/** The seller as it is stored now, under the login that it was called with. */
async function loggedIn(
  connections: Pick<ConnectionDirectory, 'byId'>,
  scope: TenantScope,
  id: string,
  login: Connection['login'],
): Promise<Connection | undefined> {
  const now = await connections.byId(scope, id);
  return now && throughLogin(now, login);
}
