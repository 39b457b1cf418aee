import { Module } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { findOffers, type OperationStore, type ReadPorts } from '@switchyard/buys';
import type { SellerLanes, SellerTransport } from '@switchyard/sellers';
import {
  activationRepository,
  campaignDirectory,
  credentialStore,
  operationStore,
  relayLog,
  replayStore,
} from '@switchyard/store';
import type { SignerDirectory } from '@switchyard/tenancy';
import { createVault, type KeyManagement } from '@switchyard/vault';
import { leaseSecretsFrom, requestNoncesPerKey, type Keys, type RenewDead } from '../keys/index.js';
import { systemIds } from '../platform/ids.js';
import type { Kernel } from '../platform/kernel.js';
import { brandSignatures } from './admission/brand-signatures.js';
import { createKnownPaths } from './admission/known-paths.js';
import { leaseKnownFrom } from './admission/lease-known.js';
import { createQuoteRepository } from './admission/quote-repository.js';
import { createChangesUnderWay } from './changes-under-way.js';
import { createCustodyWriter } from './custody/custody-writer.js';
import { createDeferredAnswers } from './deferred-answers.js';
import type { RelayDeps } from './relay-deps.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { custodyRoutes } from './custody/custody.routes.js';
import { delegationRoutes } from './delegations/delegations.routes.js';

export const relay = capabilityOf('relay', {
  custody: custodyRoutes,
  delegations: delegationRoutes,
});

@Module({ controllers: [...relay.controllers] })
export class RelayModule {}

interface MadeFrom extends Pick<RelayDeps, 'creatives' | 'domainOf' | 'onEcho' | 'relearn'> {
  /** The master keys, for a vault of its own. */
  readonly kms: KeyManagement;
  readonly transport: SellerTransport & SellerLanes;
  readonly requestKeys: Keys['requestKeys'];
  readonly signers: SignerDirectory;
  /** Stores quotes. */
  readonly operations: OperationStore;
  /** Tells buyers of changes. */
  readonly announcing: Required<NonNullable<Parameters<typeof relayLog>[1]>>;
  readonly notice: ReadPorts['notice'];
  /** Gets another token for a seller whose own has ended. */
  readonly renew: RenewDead;
}

/**
 * What forwards requests that brands sealed. Its stores delay some writes until the next commit, so they are separate
 * objects from those of the rest of the process.
 */
export function makeRelay(kernel: Kernel, from: MadeFrom): Omit<RelayDeps, 'rates'> {
  const { store, clock, newId, metrics, onUnexpected } = kernel;
  const { kms, transport, operations, announcing } = from;
  const log = relayLog(store, announcing);
  const credentials = credentialStore(store, { flushesUses: false });
  const vault = createVault({ kms, store: credentials, clock, newId, randomBytes });
  const lease = leaseSecretsFrom(vault, metrics, from.renew);
  const asking = { store: operations, transport, lease, clock, ids: systemIds };
  const deferredAnswers = createDeferredAnswers({ clock, onUnexpected });
  const caughtUp = () => deferredAnswers.caughtUp();
  // The row of a change, which is flushed before it is forwarded, also flushes the claim of its nonce.
  const replays = replayStore(store, { clock, cap: requestNoncesPerKey, flushes: false });
  return {
    ...{ ...kernel, ...from, log, lease, deferredAnswers, ids: systemIds, lanes: transport },
    // If a write of a relayed answer is lost, the seller can be queried again.
    store: operationStore(store, { announce: announcing.announce, flushesChanges: false }),
    activations: activationRepository(store),
    campaigns: campaignDirectory(store),
    changes: createChangesUnderWay(),
    custody: createCustodyWriter({ log, clock, onUnexpected }),
    quotes: createQuoteRepository({ store: operations, clock, caughtUp, onUnexpected }),
    paths: createKnownPaths({ ...kernel, log, vault, domainOf: from.domainOf }),
    leaseKnown: leaseKnownFrom(vault, metrics),
    verifierOf: brandSignatures({ keys: from.requestKeys, signers: from.signers, replays, clock }),
    callbackBase: kernel.url,
    askPrices: async (scope, principalId, connection, productIds) => {
      const connections = new Map([[connection.slug, connection]]);
      const asked = { productIds, brand: {}, connections };
      return (await findOffers(asking, { scope, principalId }, asked)).offers;
    },
  };
}
