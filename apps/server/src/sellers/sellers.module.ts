import { Module } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { LeaseSecrets, ReadPorts } from '@switchyard/buys';
import {
  BreakerBoard,
  createPublisherStatements,
  createSellerKeys,
  defaultBreakerPolicy,
  type Connection,
  type KeyWatch,
  type SellerLanes,
  type SellerTransport,
} from '@switchyard/sellers';
import {
  accountDeclarations,
  capabilityVersions as versionsOf,
  governanceCases,
  governedThings,
  nightlyRuns,
  onboardingRuns as runsOf,
  sellerAccounts as sellerAccountsIn,
  sellerAuthorizations,
  sellerContacts,
  sellerLife,
  stopRepository,
  trustDocuments,
} from '@switchyard/store';
import type { SignerDirectory, TenantScope } from '@switchyard/tenancy';
import { defined } from '@switchyard/values';
import type { Kernel } from '../platform/kernel.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { sellerAccountRoutes } from './accounts/seller-accounts.routes.js';
import { declarationRoutes } from './accounts/declarations.routes.js';
import { clientLoginRoutes } from './accounts/client-logins.routes.js';
import { alarmRoutes } from './alarms.routes.js';
import { caseRoutes } from './governance/cases.routes.js';
import type { PullDeps } from './governance/pull-content.js';
import { credentialRoutes } from './credentials.routes.js';
import { importFileRoutes } from './import-file.routes.js';
import { findSellersRoutes } from './find-sellers.routes.js';
import { gateRoutes } from './gate/gate.routes.js';
import { createEchoAlarms } from './echo-alarms.js';
import { clientAccountsFrom } from './accounts/client-accounts.js';
import { clientAssertions, type AssertionDeps } from './oauth/client-assertion.js';
import { ConsentController } from './oauth/consent.controller.js';
import { endSignIn } from './oauth/end-sign-in.js';
import { refusedTokens, replaceToken } from './oauth/renew-token.js';
import { renewingTransport } from './oauth/renewing-transport.js';
import type { SignInDeps } from './oauth/sign-in-deps.js';
import { tokenRequests } from './oauth/token-requests.js';
import { createDomainGate } from './onboarding/domain-gate.js';
import type { OnboardingDeps } from './onboarding/onboard-seller.js';
import { capabilitiesQuery, signerQuery } from './query-capabilities.js';
import { learnAccount, learnReportMode, relearnSeller } from './relearn-seller.js';
import { sellerLifeRoutes } from './seller-life.routes.js';
import { contactRoutes } from './contacts.routes.js';
import { scorecardRoutes } from './scorecard.routes.js';
import { sellerRoutes } from './sellers.routes.js';
import { stopRoutes } from './stops.routes.js';

export const sellers = capabilityOf('sellers', {
  accounts: sellerAccountRoutes,
  alarms: alarmRoutes,
  clientLogins: clientLoginRoutes,
  cases: caseRoutes,
  contacts: contactRoutes,
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

/** What the capability is made of. */
export type Sellers = ReturnType<typeof makeSellers>;

interface MadeFrom {
  readonly transport: SellerTransport & SellerLanes;
  /** Leases credentials, with the way to get another token for a seller whose own has ended. */
  readonly leaseWith: (
    renew: (scope: TenantScope, connection: Connection) => Promise<boolean>,
  ) => LeaseSecrets;
  /** Proves our client to authorization servers. */
  readonly ownKeys: AssertionDeps['keys'];
  /** Sees the keys of sellers. */
  readonly keyWatch: KeyWatch;
  readonly signers: Pick<SignerDirectory, 'find'>;
}

/** The ways to sellers: their credentials and logins, what is known of them, and what is watched. */
export function makeSellers(kernel: Kernel, { keyWatch, ...from }: MadeFrom) {
  const { store, egress, connections, vault, clock, newId, organizations } = kernel;
  const signIns: SignInDeps = {
    ...{ ...kernel, transport: from.transport, processId: newId(), random: Math.random, randomBytes },
    authorizations: sellerAuthorizations(store),
    requests: tokenRequests(egress),
    assertClient: clientAssertions({ keys: from.ownKeys, clock, newId }),
  };
  const renew: Parameters<typeof from.leaseWith>[0] = (scope, { id, login }) =>
    replaceToken(signIns, scope, { connectionId: id, ...defined({ forClient: login?.clientId }) });
  const lease = from.leaseWith(renew);
  const transport = renewingTransport(from.transport, refusedTokens(signIns, lease));
  const calls = { connections, lease, transport, clock };
  const documents = trustDocuments(store);
  const sellerAccounts = sellerAccountsIn(store);
  const onboarding = {
    ...{ ...calls, vault, egress, newId, randomBytes },
    mayGoLive: createDomainGate(organizations),
    endSignIn: (scope, connection, forClient) => endSignIn(signIns, scope, connection, forClient),
  } satisfies OnboardingDeps;
  const echoes = createEchoAlarms(kernel);
  return {
    ...onboarding,
    ...{ signIns, renew, sellerAccounts, echoes },
    breakers: new BreakerBoard(defaultBreakerPolicy, {
      changed: (change) => {
        connections.saveHealth(change).catch((error: unknown) => kernel.onUnexpected(error, 'a health row'));
      },
    }),
    candidateFinder: { egress, clock, documents },
    capabilityVersions: versionsOf(store),
    clientAccounts: clientAccountsFrom({ sellerAccounts, vault }),
    contacts: sellerContacts(store),
    declarations: accountDeclarations(store),
    governance: governanceCases(store),
    governedThings: governedThings(store),
    learnAccount: learnAccount({ connections, clock }),
    learnReports: learnReportMode({ connections, clock }),
    life: sellerLife(store),
    nightlyRuns: nightlyRuns(store),
    onboardingRuns: runsOf(store),
    publishers: createPublisherStatements({ egress, clock }),
    querySigner: signerQuery({ signers: from.signers, transport, clock }),
    relearn: relearnSeller(calls),
    sellerKeys: createSellerKeys({
      ...{ egress, clock, documents, watch: keyWatch, trustsTestKeys: kernel.isLocal },
      queryCapabilities: capabilitiesQuery(calls),
    }),
    stops: stopRepository(store, clock),
  };
}

/** What the workers do about sellers; `ports` call them. */
export function sellerWork(
  kernel: Kernel,
  sellers: Sellers,
  { ports, inbox }: { readonly ports: ReadPorts; readonly inbox: PullDeps['inbox'] },
) {
  const { alarms, connections, clock, onUnexpected } = kernel;
  const { governance: cases, governedThings: things } = sellers;
  return {
    removal: { ...kernel, ...sellers },
    signIns: sellers.signIns,
    rights: { cases, connections, alarms, clock },
    things: { ports, inbox, connections, things, cases, onUnexpected },
    looks: { ...kernel, ...sellers, ports, cases },
  };
}
