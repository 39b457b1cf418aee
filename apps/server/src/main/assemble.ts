import { randomBytes, randomUUID } from 'node:crypto';
import { insertCeilings, type ReadPorts } from '@switchyard/buys';
import {
  BreakerBoard,
  Bulkhead,
  checkDomain,
  createBrandDocuments,
  createPublisherStatements,
  defaultBreakerPolicy,
  type DomainCheck,
  type HealthSink,
} from '@switchyard/sellers';
import {
  anchorStore,
  auditLog,
  abandonedWork,
  accountRepository,
  alarmRepository,
  adminAnswers,
  sumSpend,
  changeLog,
  connectionDirectory,
  delegations as delegationsIn,
  approvalStore,
  controlRequests,
  internalApprovals,
  commitmentEnds,
  limitChecks,
  spendingLimits,
  billingRepository,
  campaignDirectory,
  chainEvidence,
  clientRepository,
  noteRepository,
  readFirstDeeds,
  planRepository,
  activationRepository,
  addressDirectory,
  signInPolicies,
  signInProviders,
  exportOrganization,
  organizationRemovals,
  scimAccesses,
  scimDirectory,
  answerCache,
  endpointRepository,
  linkKeys,
  noticeRepository,
  creativeStore,
  credentialStore,
  eventLog,
  governanceCases,
  governedThings,
  grantDirectory,
  teamDirectory,
  identityDirectory,
  creativeApprovals,
  impairments as impairmentsIn,
  inboxPurge,
  makeMonths,
  inboxStore,
  onboardingRuns,
  inboxWork,
  ledgerStore,
  nameReader,
  operationStore,
  organizations as organizationsIn,
  capabilityVersions,
  dueWork,
  endlessLegs,
  callbackSecretsPurge,
  oldReads,
  outboxPurge,
  outboxLog,
  outboxStore,
  subscriberStore,
  platformKeyStore,
  principalDirectory,
  relayNativeRegistration,
  relayReportRegistration,
  replayStore,
  senderKeys,
  reportStreams,
  accountDeclarations,
  sellerAccounts as sellerAccountsIn,
  sellerAuthorizations,
  sellerLife,
  setUpLists,
  signerDirectory,
  reportWatches,
  webhookRegistrations,
  taskCallbacks,
  stopRepository,
  taskLog,
  factorRepository,
  invitationRepository,
  oauthStore,
  passwordRepository,
} from '@switchyard/store';
import { tracedCalls, type MetricsRegistry, type Tracing } from '@switchyard/telemetry';
import {
  defaultSignInPolicy,
  isLoopbackName,
  type Organization,
  type TenantScope,
} from '@switchyard/tenancy';
import { defined, isoOf, Secret } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { announceOperation } from '../buys/tasks/announce-operation.js';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { askReceiver } from '../webhooks/out/ask-receiver.js';
import type { DispatchDeps } from '../webhooks/out/dispatch-events.js';
import type { Subscriptions } from '../platform/tasks/operation/subscriptions.js';
import { capabilitiesVersion } from '../sellers/index.js';
import type { ScheduledJobsDeps } from './scheduled-jobs.js';
import type { AbandonedWorkDeps } from '../buys/legs/release-abandoned-work.js';
import { defaultRotationTimes, type RotationTimes } from '@switchyard/signing';
import type { RecoveryDeps } from '../buys/reports/recover-reports.js';
import { allowedKmsKeys } from '@switchyard/kms';
import type { Mail } from '@switchyard/mail';
import type { NoticeConnector } from '@switchyard/events';
import type { SendNoticesDeps } from '../notices/send-notices.js';
import { callbackVault } from '../webhooks/out/callback-secrets.js';
import { createSecondFactors } from '../people/sign-in/factors.js';
import { createInvitations } from '../people/sign-in/invitations.js';
import { createLinkSecrets } from '../people/sign-in/link-secrets.js';
import { createSignInMails } from '../people/sign-in/sign-in-mails.js';
import { createPasskeys } from '../people/sign-in/passkeys.js';
import { createPasswords } from '../people/sign-in/passwords.js';
import type { SignIn } from '../people/sign-in/sessions.js';
import { createSteps } from '../people/sign-in/steps.js';
import { createUpstreamProvider, type UpstreamSettings } from '../people/sign-in/upstream-provider.js';
import { createOrganizationSignIn } from '../people/sign-in/organization-sign-in.js';
import { createUpstreamSignIn } from '../people/sign-in/upstream-sign-in.js';
import { systemClock } from '../platform/clock.js';
import { serveCell, systemIds } from '../platform/ids.js';
import { leaseSecretsFrom, type RenewDead } from '../keys/lease-secrets.js';
import type { Profile } from './settings/http-settings.js';
import type { Adapters } from './open-adapters.js';
import type { SwitchyardOptions } from './switchyard-options.js';
import type { RateSettings } from '../platform/caller/token-buckets.js';
import { messageOfChain } from '../webhooks/in/event-views.js';
import { evidenceVault } from '../webhooks/in/seal-evidence.js';
import { senderBound } from '../webhooks/in/sender-bound.js';
import type { IntakeDeps } from '../webhooks/in/webhook-intake.js';
import { webhookSecrets } from '../webhooks/in/webhook-secrets.js';
import { logError } from './log-error.js';
import { clientAccountsFrom } from '../sellers/accounts/client-accounts.js';
import { createDomainGate } from '../sellers/onboarding/domain-gate.js';
import type { OnboardingDeps } from '../sellers/onboarding/onboard-seller.js';
import { endSignIn } from '../sellers/oauth/end-sign-in.js';
import { refusedTokens, replaceToken } from '../sellers/oauth/renew-token.js';
import { renewingTransport } from '../sellers/oauth/renewing-transport.js';
import { clientAssertions } from '../sellers/oauth/client-assertion.js';
import type { SignInDeps } from '../sellers/oauth/sign-in-deps.js';
import { tokenRequests } from '../sellers/oauth/token-requests.js';
import { localCredentials } from '../webhooks/in/local-credentials.js';
import { createLedgerAnchors } from '../ledger/anchor-ledger.js';
import { createPlatformKeys } from '../keys/platform-keys.js';
import { createOperatorCheck } from '../keys/operator-check.js';
import { tellLimits } from '../business/tell-limits.js';
import { createTestController } from '../test-controller/create-test-controller.js';
import { capabilitiesQuery, signerQuery } from '../sellers/query-capabilities.js';
import { assembleRelay } from './assemble-relay.js';
import { assembleTrust } from './assemble-trust.js';
import { learnReportMode, relearnSeller } from '../sellers/relearn-seller.js';
import type { Settings } from './settings/settings.js';

interface Surroundings {
  readonly options: SwitchyardOptions & { readonly profile: Profile };
  readonly onUnexpected: (error: unknown, where: string) => void;
  readonly metrics: MetricsRegistry;
  readonly tracing: Tracing;
  readonly rates: RateSettings;
  readonly settings: Settings;
  /** Absent without a mail server. */
  readonly mail?: Pick<Mail, 'send'>;
  /** Places for notices that packages outside of the product have brought. */
  readonly noticeConnectors?: readonly NoticeConnector[];
}

/** The most concurrent calls of one tenant at one seller. */
const callsAtOnce = 16;
/** The most nonces of one key that a webhook verifier stores (docs/protocol/signing.md#requests-to-us). */
const webhookNoncesPerKey = 100_000;

/** Connects the domain with its adapters: makes every object of the process once. */
export function assemble(
  adapters: Adapters,
  { options, settings, onUnexpected, metrics, tracing, rates, mail, noticeConnectors }: Surroundings,
) {
  const { store, keys, egress, isStopped } = adapters;
  serveCell(settings.SWITCHYARD_CELL);
  const newId = (): string => randomUUID();
  const address = { url: '' };
  const connections = connectionDirectory(store);
  const principals = principalDirectory(store);
  const grants = grantDirectory(store);
  const teams = teamDirectory(store);
  const organizations = organizationsIn(store);
  const approvalMs = settings.SWITCHYARD_APPROVAL_HOURS * 3_600_000;
  const announcing = { announce: announceOperation(systemIds), approvalMs };
  const operations = operationStore(store, announcing);
  const outbox = outboxStore(store);
  const inbox = inboxWork(store);
  const events = eventLog(store);
  const ledger = tracedCalls(
    tracing,
    'ledger',
    ledgerStore(store, { permille: BigInt(Math.round(settings.SWITCHYARD_SPEND_LIMIT * 1_000)) }),
    ['applyReports', 'bookChanges'],
  );
  const isLocal = options.profile === 'local';
  const vault = createVault({
    kms: keys,
    store: credentialStore(store),
    clock: systemClock,
    newId,
    randomBytes,
  });
  const passwords = createPasswords(passwordRepository(store), systemClock);
  const factors = factorRepository(store);
  const steps = createSteps(oauthStore(store), systemClock);
  const linkSecrets = createLinkSecrets(linkKeys(store), vault);
  const invitations = createInvitations({
    repository: invitationRepository(store),
    passwords,
    principals,
    organizations,
    grants,
    secrets: linkSecrets,
    clock: systemClock,
    newId,
  });
  const identities = identityDirectory(store);
  const audit = auditLog(store);
  const upstream = upstreamSettings(settings);
  const notices = noticeRepository(store);
  const signInMails = createSignInMails({
    secrets: linkSecrets,
    notices,
    invited: invitationRepository(store),
    passwords: passwordRepository(store),
    addresses: addressDirectory(store),
    principals,
    organizations,
    steps,
    clock: systemClock,
    url: () => address.url,
  });
  const signIn: SignIn = {
    passwords,
    factors: createSecondFactors({ repository: factors, passwords, vault, clock: systemClock }),
    passkeys: createPasskeys({
      repository: factors,
      steps,
      clock: systemClock,
      newId,
      url: () => address.url,
    }),
    invitations,
    steps,
    ...(mail !== undefined && { mails: signInMails }),
    byOrganization: createOrganizationSignIn({
      scim: scimDirectory(store),
      providers: signInProviders(store),
      principals,
      organizations,
      identities,
      addresses: addressDirectory(store),
      people: oauthStore(store),
      audit,
      vault,
      egress,
      steps,
      clock: systemClock,
      newId,
      onUnexpected,
      url: () => address.url,
    }),
    policies: signInPolicies(store),
    defaultPolicy: defaultSignInPolicy(isLocal),
    ...(upstream && {
      upstream: createUpstreamSignIn({
        settings: upstream,
        provider: createUpstreamProvider({ settings: upstream, egress, clock: systemClock, onUnexpected }),
        steps,
        identities,
        addresses: addressDirectory(store),
        organizations,
        invitations,
        people: oauthStore(store),
        audit,
        clock: systemClock,
        newId,
        url: () => address.url,
      }),
    }),
  };
  const signIns: SignInDeps = {
    authorizations: sellerAuthorizations(store),
    requests: tokenRequests(egress),
    assertClient: clientAssertions({
      keys: { signDocument: (...asked) => ownKeys.signDocument(...asked) },
      clock: systemClock,
      newId,
    }),
    alarms: alarmRepository(store, systemClock),
    transport: adapters.transport,
    isStopped,
    processId: newId(),
    random: Math.random,
    clock: systemClock,
    url: () => address.url,
    connections,
    vault,
    egress,
    randomBytes,
    onUnexpected,
  };
  const renew: RenewDead = (scope, { id, login }) =>
    replaceToken(signIns, scope, { connectionId: id, ...defined({ forClient: login?.clientId }) });
  const lease = leaseSecretsFrom(vault, metrics, renew);
  const transport = renewingTransport(adapters.transport, refusedTokens(signIns, lease));
  const callbacks = callbackVault(vault);
  const times: RotationTimes = {
    ...defaultRotationTimes,
    wait: settings.SWITCHYARD_KEY_WAIT_SECONDS * 1000,
  };
  const ownKeys = createPlatformKeys({
    store: platformKeyStore(store),
    vault,
    service: adapters.signer,
    clock: systemClock,
    isStopped,
    randomBytes,
    times,
    kmsKeys: allowedKmsKeys(settings),
  });
  const anchors = createLedgerAnchors({
    store: anchorStore(store),
    keys: ownKeys,
    organizations,
    head: (scope) => ledger.head(scope),
    domainOf: (scope) => organizations.domainOf(scope),
    clock: systemClock,
  });
  const signers = signerDirectory(store);
  const strangers: { organizationId?: string } = {};
  const trust = assembleTrust({
    store,
    egress,
    connections,
    queryCapabilities: capabilitiesQuery({ connections, lease, transport, clock: systemClock }),
    querySigner: signerQuery({ signers, transport, clock: systemClock }),
    isStopped,
    metrics,
    settings,
    isLocal,
    strangersOf: () => strangers.organizationId,
    onUnexpected,
  });
  const health: HealthSink = {
    changed: (change) => {
      connections.saveHealth(change).catch((error: unknown) => onUnexpected(error, 'a health row'));
    },
  };
  const breakers = new BreakerBoard(defaultBreakerPolicy, health);
  const impairments = impairmentsIn(store, ledger);
  const sellerAccounts = sellerAccountsIn(store);
  const publishers = createPublisherStatements({ egress, clock: systemClock });
  const relearn = relearnSeller({ connections, lease, transport, clock: systemClock });
  const ports: ReadPorts = {
    impairments,
    creativeApprovals: creativeApprovals(store),
    figures: ledger,
    store: operations,
    connections,
    transport,
    lease,
    signerFor: ownKeys.signerFor,
    activations: activationRepository(store),
    campaigns: campaignDirectory(store),
    clientAccounts: clientAccountsFrom({ sellerAccounts, vault }),
    endedLists: governedThings(store).ended,
    relearn,
    pollRefused: (scope, { id, operationId, seller, task, status, createdAt }, code) =>
      trust.alarms.raise(scope, {
        kind: 'leg_without_outcome',
        subject: id,
        detail: {
          seller,
          task,
          status,
          operation_id: operationId,
          since: isoOf(createdAt),
          poll_refused: code,
        },
      }),
    learnReports: learnReportMode({ connections, clock: systemClock }),
    insertCeilings: insertCeilings(rates.inserts),
    clock: systemClock,
    ids: systemIds,
    callbackBase: () => address.url,
    notice: (what) => onUnexpected(logError(what), `${what.seller} ${what.legId}`),
    breakers,
    bulkhead: new Bulkhead(callsAtOnce),
  };
  const creatives = creativeStore(store);
  const approvals = approvalStore(store);
  const internal = internalApprovals(store, announcing);
  const controls = controlRequests(store);
  const accounts = accountRepository(store);
  const testController = isLocal ? createTestController({ ...ports, accounts, creatives }) : undefined;
  const names = nameReader(store);
  const subscriptions: Subscriptions = {
    store: subscriberStore(store),
    ask: (...question) => askReceiver({ egress, signerFor: ownKeys.signerFor, isStopped }, ...question),
    capabilitiesVersion: (scope) => capabilitiesVersion(handlers, scope),
  };
  const handlers: HandlerDeps = {
    names,
    ports,
    ...(testController === undefined ? {} : { testController }),
    creatives,
    answers: answerCache(store),
    principals,
    grants,
    accounts,
    taskLog: taskLog(store),
    billing: billingRepository(store),
    domainOf: (scope) => organizations.domainOf(scope),
    operators: createOperatorCheck({
      documents: createBrandDocuments(egress, systemClock),
      delegations: delegationsIn(store),
      organizationOf: ({ organizationId }) => organizations.byId(organizationId),
      clock: systemClock,
      isLocal,
    }),
    publishers,
    declareOnFirstUse: isLocal,
    takesPlaceholderSecrets: isLocal,
    refuseCallback: async (url) => {
      const judged = await egress.checkUrl(url);
      return judged.ok ? undefined : judged.error.message;
    },
    sealCallback: callbacks.seal,
    subscriptions,
    outbox,
  };
  const onboarding: OnboardingDeps = {
    connections,
    vault,
    lease,
    transport,
    egress,
    mayGoLive: createDomainGate(organizations),
    clock: systemClock,
    newId,
    randomBytes,
    endSignIn: (scope, connection, forClient) => endSignIn(signIns, scope, connection, forClient),
  };
  const checkClaim = async (organization: Organization): Promise<readonly DomainCheck[]> =>
    checkDomain(
      { egress, txt: adapters.txt, clock: systemClock },
      {
        domain: organization.domain,
        challenge: organization.domainChallenge ?? '',
        agentUrls: ['/mcp', '/a2a', '/', ''].map((path) => `${address.url}${path}`),
        sharesAgent: (await organizations.after(undefined, 2)).length > 1,
        isLoopback: isLocal && isLoopbackName(organization.domain),
      },
    );
  const life = sellerLife(store);
  const due = dueWork(store);
  const nonces = replayStore(store, { clock: systemClock, cap: webhookNoncesPerKey });
  const workers: ScheduledJobsDeps & RecoveryDeps & Omit<AbandonedWorkDeps, 'organizations'> = {
    abandoned: abandonedWork(store),
    ports,
    creatives,
    approvals,
    internal,
    connections,
    inbox,
    ledger,
    due,
    nonces,
    ownKeys,
    anchors,
    limitChecks: limitChecks(store),
    tellOfTime: async () => {
      const limits = { spendingLimits: spendingLimits(store), notices, clock: systemClock };
      for (const organizationId of await organizations.ids()) {
        await notices.addTimed({ organizationId }, systemClock.now());
        await tellLimits(limits, { organizationId });
      }
    },
    reads: oldReads(store),
    callbackSecrets: callbackSecretsPurge(store),
    removal: {
      ...{ connections, life, vault, sellerAccounts, transport },
      endSignIn: onboarding.endSignIn,
      clock: systemClock,
    },
    signIns,
    rights: { cases: governanceCases(store), connections, alarms: trust.alarms, clock: systemClock },
    things: {
      ports,
      connections,
      things: governedThings(store),
      cases: governanceCases(store),
      onUnexpected,
    },
    looks: {
      ...{ ports, connections, sellerAccounts, life, publishers, onUnexpected },
      cases: governanceCases(store),
      capabilityVersions: capabilityVersions(store),
      alarms: trust.alarms,
      clock: systemClock,
    },
    refusals: trust.refusals,
    alarms: trust.alarms,
    endless: endlessLegs(store),
    impairments,
    governance: governanceCases(store),
    governedThings: governedThings(store),
    watches: reportWatches(store),
    purge: inboxPurge(store),
    changeLog: changeLog(store),
    adminAnswers: adminAnswers(store),
    ledgerMonths: { make: () => makeMonths(store.pool) },
    sumSpend: () => sumSpend(store, systemClock.now()),
    changesRetentionMs: settings.SWITCHYARD_CHANGES_DAYS * 86_400_000,
    bytesRetentionMs: daysMs(settings.SWITCHYARD_WEBHOOK_BYTES_DAYS),
    outboxPurge: outboxPurge(store),
    activityRetentionMs: daysMs(settings.SWITCHYARD_WEBHOOK_ACTIVITY_DAYS),
    audit,
    auditRetentionMs:
      settings.SWITCHYARD_AUDIT_DAYS === 0 ? undefined : daysMs(settings.SWITCHYARD_AUDIT_DAYS),
    metrics,
    onUnexpected,
  };
  const relay = assembleRelay({
    adapters,
    connections,
    principals,
    creatives,
    operations,
    domainOf: (scope) => organizations.domainOf(scope),
    trust,
    relearn,
    callbackBase: ports.callbackBase,
    notice: ports.notice,
    renew,
    metrics,
    onUnexpected,
  });
  const evidence = evidenceVault(vault);
  const seenSenderKeys = senderKeys(store, systemClock);
  const intake: Omit<IntakeDeps, 'notifyInbox'> = {
    registrations: webhookRegistrations(store),
    standing: { report: relayReportRegistration(store), native: relayNativeRegistration(store) },
    inbox: inboxStore(store),
    bound: senderBound(systemClock, settings.SWITCHYARD_WEBHOOKS_PER_MINUTE),
    nonces,
    keys: trust.sellerKeys,
    senderKeys: seenSenderKeys,
    verdicts: trust.verdicts,
    secrets: webhookSecrets(vault, credentialStore(store), systemClock),
    localCredentials: localCredentials(lease, systemClock, newId),
    onEcho: (by) => trust.echoes.echoed(by),
    evidence,
    connections,
    challenges: onboardingRuns(store),
    clock: systemClock,
    newId,
    baseUrl: () => address.url,
    metrics,
  };
  const dispatch: DispatchDeps = {
    outbox,
    streams: reportStreams(store),
    due,
    subscribers: { ...subscriptions, agentUrl: () => `${address.url}/mcp` },
    egress,
    signerFor: ownKeys.signerFor,
    openCallback: callbacks.open,
    isStopped,
    clock: systemClock,
    ids: systemIds,
    random: Math.random,
    onUnexpected,
  };
  const telling: SendNoticesDeps = {
    notices,
    mailOfSignIn: (scope, notice) => signInMails.write(scope, notice),
    endpoints: endpointRepository(store),
    egress,
    vault,
    isStopped,
    baseUrl: () => address.url,
    clock: systemClock,
    random: Math.random,
    onUnexpected,
    onAttempt: (attempt) => metrics.notices.inc(attempt),
    ...(mail !== undefined && { mail }),
    ...(noticeConnectors !== undefined && { noticeConnectors }),
  };
  return {
    address,
    breakers,
    telling,
    isStopped,
    life,
    stops: stopRepository(store, systemClock),
    ownKeys,
    anchors,
    senderKeys: seenSenderKeys,
    chainEvidence: chainEvidence(store),
    messageOfChain,
    signatures: trust.signatures,
    trust,
    strangers,
    addresses: addressDirectory(store),
    policies: signIn.policies,
    providers: signInProviders(store),
    removals: organizationRemovals(store),
    exportRows: (scope: TenantScope, take: Parameters<typeof exportOrganization>[2]) =>
      exportOrganization(store, scope, take),
    scimAccesses: scimAccesses(store),
    scim: scimDirectory(store),
    defaultPolicy: signIn.defaultPolicy,
    identities,
    rotationTimes: times,
    trustsTestKeys: isLocal,
    isLocal,
    signers,
    ports,
    approvals,
    controls,
    internal,
    spendingLimits: spendingLimits(store),
    commitmentEnds: commitmentEnds(store),
    creatives,
    connections,
    sellerAccounts,
    declarations: accountDeclarations(store),
    principals,
    signIn,
    passwords: signIn.passwords,
    factors: signIn.factors,
    passkeys: signIn.passkeys,
    invitations: signIn.invitations,
    invited: invitationRepository(store),
    grants,
    teams,
    organizations,
    operations,
    inbox,
    events,
    ledger,
    vault,
    handlers,
    taskCallbacks: taskCallbacks(store),
    testController,
    onboarding,
    checkDomain: checkClaim,
    allowsLoopback: isLocal,
    workers,
    dispatch,
    relay,
    audit,
    clients: clientRepository(store),
    firstDeeds: (scope: TenantScope) => readFirstDeeds(store, scope),
    notes: noteRepository(store),
    plans: planRepository(store),
    delegations: delegationsIn(store),
    intake,
    names,
    outgoing: outboxLog(store),
    setUp: setUpLists(store),
    publishers,
    evidence,
    lease,
    signIns,
  };
}

function upstreamSettings(settings: Settings): UpstreamSettings | undefined {
  const {
    SWITCHYARD_OIDC_ISSUER: issuer,
    SWITCHYARD_OIDC_CLIENT_ID: clientId,
    SWITCHYARD_OIDC_CLIENT_SECRET: secret,
    SWITCHYARD_OIDC_DOMAINS: domains,
  } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    name: settings.SWITCHYARD_OIDC_NAME ?? new URL(issuer).host,
    ...(secret !== undefined && { clientSecret: new Secret(Buffer.from(secret, 'utf8')) }),
    ...(domains !== undefined && { domains: domains.map((domain) => domain.toLowerCase()) }),
    trustsEmail: settings.SWITCHYARD_OIDC_TRUST_EMAIL === 'true',
  };
}

function daysMs(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * 24 * 3_600_000;
}
