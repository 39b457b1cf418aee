import { Module } from '@nestjs/common';
import { checkDomain, type DomainCheck, type TxtLookup } from '@switchyard/sellers';
import {
  accountRepository,
  billingRepository,
  clientRepository,
  commitmentEnds,
  controlRequests,
  exportOrganization,
  limitChecks,
  nameReader,
  noteRepository,
  noticeRepository,
  organizationRemovals,
  planRepository,
  quotaStore as quotasIn,
  readBudgetLines,
  readFirstDeeds,
  setUpLists,
  spendingLimits as limitsIn,
} from '@switchyard/store';
import { isLoopbackName, type Organization, type TenantScope } from '@switchyard/tenancy';
import { createQuotas } from '../platform/caller/quotas.js';
import type { Kernel } from '../platform/kernel.js';
import { tellLimits } from './tell-limits.js';
import { tellQuota } from './tell-quota.js';
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

/** What the capability is made of. */
export type Business = ReturnType<typeof makeBusiness>;

/** Clients and their brands, accounts, limits and quotas of organizations, and the organizations themselves. */
export function makeBusiness(kernel: Kernel, { txt }: { readonly txt: TxtLookup }) {
  const { store, clock, organizations } = kernel;
  const notices = noticeRepository(store);
  const quotaStore = quotasIn(store);
  const spendingLimits = limitsIn(store);
  return {
    ...{ spendingLimits, quotaStore },
    accounts: accountRepository(store),
    billing: billingRepository(store),
    budgetLines: (scope: TenantScope, campaignId: string) => readBudgetLines(store, scope, campaignId),
    checkDomain: (organization: Organization) => checkClaim(kernel, txt, organization),
    clients: clientRepository(store),
    commitmentEnds: commitmentEnds(store),
    controls: controlRequests(store),
    domainOf: (scope: TenantScope) => organizations.domainOf(scope),
    exportRows: (scope: TenantScope, take: Parameters<typeof exportOrganization>[2]) =>
      exportOrganization(store, scope, take),
    firstDeeds: (scope: TenantScope) => readFirstDeeds(store, scope),
    limitChecks: limitChecks(store),
    names: nameReader(store),
    notes: noteRepository(store),
    plans: planRepository(store),
    quotas: createQuotas({
      ...{ ...kernel, store: quotaStore },
      onNear: (scope, near) => tellQuota({ notices, clock }, scope, near),
    }),
    removals: organizationRemovals(store),
    setUp: setUpLists(store),
    /** Writes notices of limits, credentials and months, whose time has come. */
    tellOfTime: async () => {
      for (const organizationId of await organizations.ids()) {
        await notices.addTimed({ organizationId }, clock.now());
        await tellLimits({ spendingLimits, notices, clock }, { organizationId });
      }
    },
  };
}

async function checkClaim(
  { egress, clock, organizations, isLocal, url }: Kernel,
  txt: TxtLookup,
  { domain, domainChallenge = '' }: Organization,
): Promise<readonly DomainCheck[]> {
  const claim = {
    domain,
    challenge: domainChallenge,
    agentUrls: ['/mcp', '/a2a', '/', ''].map((path) => `${url()}${path}`),
    sharesAgent: (await organizations.after(undefined, 2)).length > 1,
    isLoopback: isLocal && isLoopbackName(domain),
  };
  return checkDomain({ egress, txt, clock }, claim);
}
