import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { sellerAccountRoutes } from './accounts/seller-accounts.routes.js';
import { declarationRoutes } from './accounts/declarations.routes.js';
import { clientLoginRoutes } from './accounts/client-logins.routes.js';
import { alarmRoutes } from './alarms.routes.js';
import { caseRoutes } from './governance/cases.routes.js';
import { credentialRoutes } from './credentials.routes.js';
import { importFileRoutes } from './import-file.routes.js';
import { findSellersRoutes } from './find-sellers.routes.js';
import { gateRoutes } from './gate/gate.routes.js';
import { ConsentController } from './oauth/consent.controller.js';
import { sellerLifeRoutes } from './seller-life.routes.js';
import { scorecardRoutes } from './scorecard.routes.js';
import { sellerRoutes } from './sellers.routes.js';
import { stopRoutes } from './stops.routes.js';

export const sellers = capabilityOf('sellers', {
  accounts: sellerAccountRoutes,
  alarms: alarmRoutes,
  clientLogins: clientLoginRoutes,
  cases: caseRoutes,
  credentials: credentialRoutes,
  declarations: declarationRoutes,
  findSellers: findSellersRoutes,
  // Before the sellers by slug: `drafts` is no slug.
  gate: gateRoutes,
  importFile: importFileRoutes,
  scorecard: scorecardRoutes,
  sellerLife: sellerLifeRoutes,
  sellers: sellerRoutes,
  stops: stopRoutes,
});

@Module({ controllers: [...sellers.controllers, ConsentController] })
export class SellersModule {}
