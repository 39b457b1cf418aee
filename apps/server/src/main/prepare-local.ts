import { randomBytes, randomUUID } from 'node:crypto';
import type { Organizations } from '@switchyard/store';
import {
  allPermissions,
  type Organization,
  type Principal,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { systemClock } from '../platform/clock.js';
import { operatorName } from '../people/principals.routes.js';
import type { Settings } from './settings/settings.js';

/** The organization and the principal of the data folder's holder. */
export interface Local {
  readonly scope: TenantScope;
  readonly organization: Organization;
  readonly operator: PrincipalCaller;
}

/** The organization of an unnamed installation: it belongs to the sandbox market, and nobody owns its domain. */
const localOrganization = { name: 'Practice Agency', domain: 'agency.example' };

type OrganizationSettings = Pick<Settings, Extract<keyof Settings, `SWITCHYARD_ORGANIZATION_${string}`>>;

/**
 * Makes the first organization and its operator on first start. The operator has every permission, and its tokens are
 * transitional and legacy (docs/protocol/signing.md#unsigned-changes). This organization is also the public one. An
 * existing one is not changed, whatever the settings are.
 */
export async function prepareLocal(
  deps: { readonly organizations: Organizations; readonly principals: PrincipalDirectory },
  settings: OrganizationSettings,
): Promise<Local> {
  const at = systemClock.now();
  const currency = settings.SWITCHYARD_ORGANIZATION_CURRENCY;
  const wanted = {
    slug: 'local',
    name: settings.SWITCHYARD_ORGANIZATION_NAME ?? localOrganization.name,
    domain: settings.SWITCHYARD_ORGANIZATION_DOMAIN ?? localOrganization.domain,
    isPublic: true,
    timeZone: settings.SWITCHYARD_ORGANIZATION_TIME_ZONE,
    currency,
    reportingCurrency: settings.SWITCHYARD_ORGANIZATION_REPORTING_CURRENCY ?? currency,
    domainChallenge: randomBytes(24).toString('base64url'),
  };
  const organization = await deps.organizations.ensure(wanted, at);
  const organizationId = organization.id;
  const scope = { organizationId };
  const operator: Principal = {
    id: randomUUID(),
    organizationId,
    name: operatorName,
    kind: 'person',
    permissions: allPermissions,
    transitional: true,
    legacy: true,
  };
  const found = await deps.principals.findByName(scope, operator.name);
  if (found === undefined) await deps.principals.create(scope, operator, at);
  const known = found ?? (await deps.principals.findByName(scope, operator.name)) ?? operator;
  return {
    scope,
    organization,
    operator: principalCaller(known),
  };
}
