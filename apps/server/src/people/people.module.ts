import { Module } from '@nestjs/common';
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
