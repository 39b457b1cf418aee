import { Module } from '@nestjs/common';
import { anchorStore, checkpointStore, ledgerStore } from '@switchyard/store';
import { tracedCalls } from '@switchyard/telemetry';
import type { Kernel } from '../platform/kernel.js';
import { createLedgerAnchors, type AnchorDeps } from './anchor-ledger.js';
import { createLedgerVerifier, type VerifierDeps } from './verify-ledger.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { ledgerRoutes } from './ledger.routes.js';
import { ledgerAnchorRoutes } from './ledger-anchors.routes.js';
import { reportFileRoutes } from './report-files.routes.js';

export const ledger = capabilityOf('ledger', {
  ledger: ledgerRoutes,
  ledgerAnchors: ledgerAnchorRoutes,
  reportFiles: reportFileRoutes,
});

@Module({ controllers: [...ledger.controllers] })
export class LedgerModule {}

/** What the capability is made of. */
export type Ledger = ReturnType<typeof makeLedger>;

interface MadeFrom extends Pick<VerifierDeps, 'keys' | 'read'> {
  /** The multiple of a buy's budget that its reported spend may reach. */
  readonly spendLimit: number;
  readonly ownKeys: AnchorDeps['keys'];
}

/** The books, their signed heads, and who verifies them. */
export function makeLedger({ store, tracing, clock, organizations }: Kernel, from: MadeFrom) {
  const permille = BigInt(Math.round(from.spendLimit * 1_000));
  const methods = ['applyReports', 'bookChanges'] as const;
  const ledger = tracedCalls(tracing, 'ledger', ledgerStore(store, { permille }), methods);
  return {
    ledger,
    anchors: createLedgerAnchors({
      ...{ store: anchorStore(store), keys: from.ownKeys, organizations, clock },
      head: (scope) => ledger.head(scope),
      domainOf: (scope) => organizations.domainOf(scope),
    }),
    verifier: createLedgerVerifier({ ...from, checkpoints: checkpointStore(store), clock }),
  };
}
