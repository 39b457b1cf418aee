import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { accountRoutes } from './accounts.routes.js';
import { brandRoutes } from './brands.routes.js';
import { campaignRuleRoutes } from './campaign-rules.routes.js';
import { campaignRoutes } from './campaigns.routes.js';
import { clientRoutes } from './clients.routes.js';
import { commitmentRoutes } from './commitments.routes.js';
import { limitRoutes } from './limits.routes.js';
import { meRoutes } from './me.routes.js';
import { noteRoutes } from './notes.routes.js';
import { organizationDeletionRoutes } from './organization-deletion.routes.js';
import { organizationExportRoutes } from './organization-export.routes.js';
import { organizationRoutes } from './organizations.routes.js';
import { planRoutes } from './plans.routes.js';
import { quotaRoutes } from './quotas.routes.js';
import { rateRoutes } from './rates.routes.js';
import { sessionRoutes } from './sessions.routes.js';

export const business = capabilityOf('business', {
  accounts: accountRoutes,
  brands: brandRoutes,
  campaignRules: campaignRuleRoutes,
  campaigns: campaignRoutes,
  clients: clientRoutes,
  commitments: commitmentRoutes,
  limits: limitRoutes,
  me: meRoutes,
  notes: noteRoutes,
  organizationDeletion: organizationDeletionRoutes,
  organizationExport: organizationExportRoutes,
  organizations: organizationRoutes,
  plans: planRoutes,
  quotas: quotaRoutes,
  rates: rateRoutes,
  sessions: sessionRoutes,
});

@Module({ controllers: [...business.controllers] })
export class BusinessModule {}
