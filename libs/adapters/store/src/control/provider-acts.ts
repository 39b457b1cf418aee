import { roleGrant, type GroupRole, type PlacedGrant, type SignInProvider } from '@switchyard/tenancy';
import type { JsonValue } from '@switchyard/values';
import type { TenantSession } from '../core/tenant-client.js';
import { placeOfScope } from '../tenancy/grant-directory.js';
import { allowScim, isScimAllowed } from '../tenancy/scim-access.js';
import { providerIn, saveProvider } from '../tenancy/sign-in-providers.js';
import { freely, refused, type ActRules } from './control-act.js';
import { beyond, permissionsOf } from './grant-acts.js';

/** Whoever sets a provider decides who signs in, as whom, and with which roles: another person approves each change. */
export const signInProviderSet: ActRules<'set_sign_in_provider'> = {
  judge: async (client, { provider }, taking) => {
    const before = await providerIn(client);
    const given = await placedRoles(client, provider.groups);
    if (given === undefined)
      return refused('NOT_FOUND', 'A role or a scope of the groups does not exist any more.');
    return (
      beyond(taking, given) ?? {
        ...freely('sign-in provider'),
        asks: true,
        basedOn: (before ?? null) as JsonValue,
        reason: `People whom ${provider.issuer} vouches for enter this organization, with the roles of their groups there.`,
        ...(before !== undefined && { before: providerText(before) }),
        after: providerText(provider),
      }
    );
  },
  apply: async (client, { provider }, { by, at }) => {
    await saveProvider(client, provider, { principalId: by, at });
    return true;
  },
};

/** The holder of its tokens makes people and puts them into teams, with the roles of the teams. */
export const scimAllowed: ActRules<'allow_scim'> = {
  judge: async (client) => {
    if (await isScimAllowed(client)) return refused('CONFLICT', 'A provisioning system is allowed already.');
    return {
      ...freely('provisioning of people'),
      asks: true,
      reason:
        'Lets a provisioning system make people and put them into its teams, with the roles of these teams.',
    };
  },
  apply: async (client, { principalId }, { by, at }) => {
    await allowScim(client, principalId, { principalId: by, at });
    return true;
  },
};

async function placedRoles(
  client: TenantSession,
  groups: readonly GroupRole[],
): Promise<readonly PlacedGrant[] | undefined> {
  const given: PlacedGrant[] = [];
  for (const { role, scope } of groups) {
    const [place, permissions] = [await placeOfScope(client, scope), await permissionsOf(client, role)];
    if (place === undefined || permissions === undefined) return undefined;
    given.push({ ...roleGrant(role, permissions, scope), place });
  }
  return given;
}

/** A provider in words, for whoever approves it. */
function providerText({ issuer, clientId, domains, groupsClaim, groups }: SignInProvider): string {
  const shown = groups.slice(0, groupsShown).map(({ group, role, scope }) => {
    const where = 'id' in scope ? `${scope.kind}:${scope.id}` : scope.kind;
    return `${group}: ${role} in ${where}`;
  });
  const more = groups.length > groupsShown ? [`${groups.length - groupsShown} more`] : [];
  const mapping = groups.length === 0 ? 'no group gives a role' : [...shown, ...more].join('; ');
  return `${issuer}, client ${clientId}, addresses of ${domains.join(', ')}; claim ${groupsClaim}: ${mapping}`;
}

const groupsShown = 20;
