import { Module } from '@nestjs/common';
import {
  addressDirectory,
  factorRepository,
  grantDirectory,
  identityDirectory,
  invitationRepository,
  linkKeys,
  noticeRepository,
  oauthStore,
  passwordRepository,
  scimAccesses,
  scimDirectory,
  signerDirectory,
  signInPolicies,
  signInProviders,
  teamDirectory,
} from '@switchyard/store';
import { defaultSignInPolicy } from '@switchyard/tenancy';
import type { Kernel } from '../platform/kernel.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { auditRoutes } from './audit.routes.js';
import { erasureRoutes } from './erasures.routes.js';
import { factorRoutes } from './factors.routes.js';
import { grantRoutes } from './grants.routes.js';
import { identityRoutes } from './identities.routes.js';
import { invitationRoutes } from './invitations.routes.js';
import { principalRoutes } from './principals.routes.js';
import { scimRoutes } from './scim.routes.js';
import { signInPolicyRoutes } from './sign-in-policy.routes.js';
import { signInProviderRoutes } from './sign-in-provider.routes.js';
import { signerRoutes } from './signers.routes.js';
import { teamRoutes } from './teams.routes.js';
import { createSecondFactors } from './sign-in/factors.js';
import { createInvitations } from './sign-in/invitations.js';
import { createLinkSecrets } from './sign-in/link-secrets.js';
import { createOrganizationSignIn } from './sign-in/organization-sign-in.js';
import { createPasskeys } from './sign-in/passkeys.js';
import { createPasswords } from './sign-in/passwords.js';
import type { SignIn } from './sign-in/sessions.js';
import { createSignInMails } from './sign-in/sign-in-mails.js';
import { createSteps } from './sign-in/steps.js';
import { createUpstreamProvider } from './sign-in/upstream-provider.js';
import { upstreamSettings, type UpstreamVariables } from './sign-in/upstream-settings.js';
import { createUpstreamSignIn } from './sign-in/upstream-sign-in.js';
import { tokenRoutes } from './tokens.routes.js';

export const people = capabilityOf('people', {
  audit: auditRoutes,
  erasures: erasureRoutes,
  factors: factorRoutes,
  grants: grantRoutes,
  identities: identityRoutes,
  invitations: invitationRoutes,
  principals: principalRoutes,
  scim: scimRoutes,
  signInPolicy: signInPolicyRoutes,
  signInProvider: signInProviderRoutes,
  signers: signerRoutes,
  teams: teamRoutes,
  tokens: tokenRoutes,
});

@Module({ controllers: [...people.controllers] })
export class PeopleModule {}

/** What the capability is made of. */
export type People = ReturnType<typeof makePeople>;

/** Who people are, what they may, and how they sign in. Without a mail server nobody can ask for a new password. */
export function makePeople(kernel: Kernel, settings: UpstreamVariables, hasMail: boolean) {
  const { store, vault, egress, principals, organizations, clock, newId, isLocal } = kernel;
  const addresses = addressDirectory(store);
  const factors = factorRepository(store);
  const grants = grantDirectory(store);
  const identities = identityDirectory(store);
  const invited = invitationRepository(store);
  const policies = signInPolicies(store);
  const programs = oauthStore(store);
  const providers = signInProviders(store);
  const scim = scimDirectory(store);
  const passwords = createPasswords(passwordRepository(store), clock);
  const steps = createSteps(programs, clock);
  const secrets = createLinkSecrets(linkKeys(store), vault);
  const about = { principals, organizations, clock, newId };
  const invitations = createInvitations({ ...about, repository: invited, passwords, grants, secrets });
  const ways = { ...kernel, steps, identities, addresses, invitations, people: programs };
  const upstream = upstreamSettings(settings);
  const mails = createSignInMails({
    ...{ secrets, invited, addresses, principals, organizations, steps, clock },
    notices: noticeRepository(store),
    passwords: passwordRepository(store),
    url: kernel.url,
  });
  const signIn = {
    passwords,
    factors: createSecondFactors({ repository: factors, passwords, vault, clock }),
    passkeys: createPasskeys({ repository: factors, steps, clock, newId, url: kernel.url }),
    invitations,
    steps,
    ...(hasMail && { mails }),
    byOrganization: createOrganizationSignIn({ ...ways, scim, providers }),
    policies,
    defaultPolicy: defaultSignInPolicy(isLocal),
    ...(upstream && {
      upstream: createUpstreamSignIn({
        ...ways,
        settings: upstream,
        provider: createUpstreamProvider({ ...kernel, settings: upstream, egress }),
      }),
    }),
  } satisfies SignIn;
  return {
    ...{ addresses, grants, identities, invited, policies, programs, providers, scim, signIn },
    ...{ passwords, passkeys: signIn.passkeys, invitations, factors: signIn.factors },
    defaultPolicy: signIn.defaultPolicy,
    mailOfSignIn: (...of: Parameters<typeof mails.write>) => mails.write(...of),
    scimAccesses: scimAccesses(store),
    signers: signerDirectory(store),
    teams: teamDirectory(store),
  };
}
