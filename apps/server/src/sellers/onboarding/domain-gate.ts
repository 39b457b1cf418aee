import type { Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isLoopback } from '../../platform/http/access/peer-address.js';
import type { AdminFailure } from '../../platform/failure.js';

/** Why a seller at this address may not go live for an organization; undefined if it may. */
export type DomainGate = (scope: TenantScope, agentUrl: string) => Promise<AdminFailure | undefined>;

/**
 * Sellers know an organization by its domain, so the domain is proved before a seller beyond this machine goes live
 * (docs/protocol/accounts.md#proof-of-a-domain). A seller on loopback, as in the sandbox, needs no proof.
 */
export function createDomainGate(organizations: Pick<Organizations, 'byId'>): DomainGate {
  return async ({ organizationId }, agentUrl) => {
    if (isOnThisMachine(agentUrl)) return undefined;
    const organization = await organizations.byId(organizationId);
    if (organization === undefined || organization.domainProof !== undefined) return undefined;
    return {
      code: 'DOMAIN_NOT_PROVED',
      message: `Sellers would know this organization as ${organization.domain}, which is not proved to be its own domain.`,
      field: 'agent_url',
      suggestion:
        'Prove it with `switchyard organizations prove` (POST /v1/organizations/own/prove), or name your own domain with ' +
        '`switchyard organizations set own --domain DOMAIN` first.',
    };
  };
}

function isOnThisMachine(agentUrl: string): boolean {
  if (!URL.canParse(agentUrl)) return false;
  const host = new URL(agentUrl).hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return isLoopback(host) || host.endsWith('.localhost');
}
