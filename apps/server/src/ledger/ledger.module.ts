import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { ledgerRoutes } from './ledger.routes.js';
import { ledgerAnchorRoutes } from './ledger-anchors.routes.js';

export const ledger = capabilityOf('ledger', {
  ledger: ledgerRoutes,
  ledgerAnchors: ledgerAnchorRoutes,
});

@Module({ controllers: [...ledger.controllers] })
export class LedgerModule {}
