import { randomBytes, randomUUID } from 'node:crypto';
import { findOffers, type OperationStore, type ReadPorts } from '@switchyard/buys';
import {
  activationRepository,
  campaignDirectory,
  credentialStore,
  operationStore,
  relayLog,
  type creativeStore,
  type principalDirectory,
} from '@switchyard/store';
import type { MetricsRegistry } from '@switchyard/telemetry';
import { createVault } from '@switchyard/vault';
import { announceOperation } from '../buys/tasks/announce-operation.js';
import type { Trust } from './assemble-trust.js';
import { systemClock } from '../platform/clock.js';
import { systemIds } from '../platform/ids.js';
import { leaseSecretsFrom, type RenewDead } from '../keys/lease-secrets.js';
import type { Adapters } from './open-adapters.js';
import { createChangesUnderWay } from '../relay/changes-under-way.js';
import { createCustodyWriter } from '../relay/custody/custody-writer.js';
import { createKnownPaths } from '../relay/admission/known-paths.js';
import { createDeferredAnswers } from '../relay/deferred-answers.js';
import { leaseKnownFrom } from '../relay/admission/lease-known.js';
import { createQuoteRepository } from '../relay/admission/quote-repository.js';
import type { RelayDeps } from '../relay/relay-deps.js';

interface RelaySurroundings {
  readonly adapters: Pick<Adapters, 'store' | 'keys' | 'egress' | 'transport' | 'isStopped'>;
  readonly connections: RelayDeps['connections'];
  readonly principals: ReturnType<typeof principalDirectory>;
  readonly creatives: ReturnType<typeof creativeStore>;
  /** Stores quotes. */
  readonly operations: OperationStore;
  readonly domainOf: RelayDeps['domainOf'];
  readonly trust: Pick<Trust, 'brandSignatures' | 'echoes'>;
  readonly relearn: RelayDeps['relearn'];
  readonly callbackBase: () => string;
  readonly notice: ReadPorts['notice'];
  /** Gets another token for a seller whose own has ended. */
  readonly renew: RenewDead;
  readonly metrics: MetricsRegistry;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/**
 * Builds the relay, which forwards requests that brands sealed. Its stores delay some writes until the next commit, so
 * they are separate objects from those of the rest of the process.
 */
export function assembleRelay(surroundings: RelaySurroundings): Omit<RelayDeps, 'rates'> {
  const { adapters, connections, principals, creatives, operations, domainOf, trust } = surroundings;
  const { relearn, callbackBase, notice, metrics, onUnexpected } = surroundings;
  const { store, keys, egress, transport } = adapters;
  const newId = (): string => randomUUID();
  const announce = announceOperation(systemIds);
  const log = relayLog(store, { announce });
  const vault = createVault({
    kms: keys,
    store: credentialStore(store, { flushesUses: false }),
    clock: systemClock,
    newId,
    randomBytes,
  });
  const lease = leaseSecretsFrom(vault, metrics, surroundings.renew);
  const asking = { store: operations, transport, lease, clock: systemClock, ids: systemIds };
  const deferredAnswers = createDeferredAnswers({ clock: systemClock, onUnexpected });
  return {
    connections,
    // If a write of a relayed answer is lost, the seller can be queried again.
    store: operationStore(store, { announce, flushesChanges: false }),
    activations: activationRepository(store),
    campaigns: campaignDirectory(store),
    creatives,
    changes: createChangesUnderWay(),
    log,
    custody: createCustodyWriter({ log, clock: systemClock, onUnexpected }),
    deferredAnswers,
    quotes: createQuoteRepository({
      store: operations,
      clock: systemClock,
      caughtUp: () => deferredAnswers.caughtUp(),
      onUnexpected,
    }),
    paths: createKnownPaths({
      principals,
      connections,
      log,
      vault,
      domainOf,
      clock: systemClock,
      onUnexpected,
    }),
    leaseKnown: leaseKnownFrom(vault, metrics),
    verifierOf: trust.brandSignatures,
    domainOf,
    callbackBase,
    lanes: transport,
    lease,
    askPrices: async (scope, principalId, connection, productIds) => {
      const connections = new Map([[connection.slug, connection]]);
      const asked = { productIds, brand: {}, connections };
      return (await findOffers(asking, { scope, principalId }, asked)).offers;
    },
    egress,
    isStopped: adapters.isStopped,
    clock: systemClock,
    ids: systemIds,
    newId,
    notice,
    relearn,
    onEcho: (by) => trust.echoes.echoed(by),
    onUnexpected,
  };
}
