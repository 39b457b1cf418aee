import type { ConnectionDirectory, SellerTarget } from '@switchyard/sellers';
import type { AlarmRepository } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import { seldom } from '../platform/seldom.js';

interface EchoAlarmDeps {
  readonly alarms: Pick<AlarmRepository, 'raise'>;
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

export interface EchoAlarms {
  /** A seller's answer contained our own credential, which was removed. Reported every ten seconds at most. */
  echoed(by: Pick<SellerTarget, 'organizationId' | 'connectionId'>): void;
  /** Resolves once everything in progress is written. */
  settled(): Promise<void>;
}

/** Raises an alarm for a seller that exposes our credential. No answer waits for it. */
export function createEchoAlarms({ alarms, connections, clock, onUnexpected }: EchoAlarmDeps): EchoAlarms {
  const isDue = seldom(clock);
  const underWay = new Set<Promise<void>>();
  const raise = async ({
    organizationId,
    connectionId,
  }: Parameters<EchoAlarms['echoed']>[0]): Promise<void> => {
    const scope = { organizationId };
    const connection = await connections.byId(scope, connectionId);
    if (connection === undefined) return;
    const detail = { connection_id: connectionId };
    await alarms.raise(scope, { kind: 'credential_echoed', subject: `seller ${connection.slug}`, detail });
  };
  return {
    echoed: (by) => {
      if (!isDue(by.connectionId)) return;
      const work = raise(by)
        .catch((error: unknown) => onUnexpected(error, 'an alarm'))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
