import { randomBytes, randomUUID } from 'node:crypto';
import { insertCeilings, type ReadPorts } from '@switchyard/buys';
import {
  BreakerBoard,
  Bulkhead,
  createBrandDocuments,
  createPublisherWords,
  defaultBreakerPolicy,
  type HealthSink,
} from '@switchyard/sellers';
import {
  abandonedWork,
  accountRepository,
  connectionDirectory,
  delegations as delegationsIn,
  approvalStore,
  billingRepository,
  activationRepository,
  answerCache,
  creativeStore,
  credentialStore,
  eventLog,
  identityDirectory,
  creativeApprovals,
  impairments as impairmentsIn,
  inboxPurge,
  inboxStore,
  inboxWork,
  ledgerStore,
  operationStore,
  organizations as organizationsIn,
  dueWork,
  endlessLegs,
  callbackSecretsPurge,
  oldReads,
  outboxPurge,
  outboxStore,
  platformKeyStore,
  principalDirectory,
  relayNativeRegistration,
  relayReportRegistration,
  replayStore,
  reportStreams,
  signerDirectory,
  reportWatches,
  webhookRegistrations,
  taskCallbacks,
  taskLog,
} from '@switchyard/store';
import type { MetricsRegistry } from '@switchyard/telemetry';
import { createVault } from '@switchyard/vault';
import { announceOperation } from '../tasks/operation/announce-operation.js';
import type { HandlerDeps } from '../tasks/handler.js';
import type { DispatchDeps } from '../workers/outbox/dispatch-events.js';
import { topics } from '../workers/queue-workers.js';
import type { ScheduledJobsDeps } from '../workers/schedules/chores.js';
import type { LeftBehind } from './give-back-work.js';
import { defaultRotationTimes, type RotationTimes } from '@switchyard/signing';
import type { RecoveryDeps } from '../workers/schedules/recover-reports.js';
import { allowedKmsKeys } from '@switchyard/kms';
import { callbackVault } from './webhooks/callback-secrets.js';
import { systemClock } from './clock.js';
import { systemIds } from './ids.js';
import { leaseSecretsFrom } from './sellers/lease-secrets.js';
import type { Profile } from './door-settings.js';
import type { Adapters } from './open-adapters.js';
import type { SwitchyardOptions } from './open-switchyard.js';
import type { IssuedTokens } from '../tasks/caller/issued-tokens.js';
import type { RateSettings } from './rate-settings.js';
import { evidenceVault } from './webhooks/seal-evidence.js';
import { senderBound } from './webhooks/sender-bound.js';
import type { IntakeDeps } from './webhooks/webhook-intake.js';
import { webhookSecrets } from './webhooks/webhook-secrets.js';
import { createIdentityAdmin } from './keys/identity-admin.js';
import { logError } from './log-error.js';
import type { OnboardingDeps } from './sellers/onboard-seller.js';
import { localCredentials } from './sellers/local-credentials.js';
import { createPlatformKeys } from './keys/platform-keys.js';
import { createPrincipalAdmin } from './principal-admin.js';
import { createOperatorCheck } from './keys/operator-check.js';
import { createTestController } from '../test-controller/create-test-controller.js';
import { capabilitiesQuery, signerQuery } from './sellers/ask-capabilities.js';
import { assembleRelay } from './assemble-relay.js';
import { assembleTrust } from './assemble-trust.js';
import { learnReportMode, relearnSeller } from './sellers/relearn-seller.js';
import type { Settings } from './settings.js';

export interface Surroundings {
  readonly options: SwitchyardOptions & { readonly profile: Profile };
  readonly onUnexpected: (error: unknown, where: string) => void;
  readonly metrics: MetricsRegistry;
  readonly rates: RateSettings;
  readonly settings: Settings;
  readonly issuedTokens: IssuedTokens;
}

/** Calls that one tenant has out at one seller at most. */
const callsAtOnce = 16;
/** Nonces of one key that a webhook verifier keeps at most (docs/protocol/signing.md#requests-to-us). */
const webhookNoncesPerKey = 100_000;

function daysMs(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * 24 * 3_600_000;
}

/** Puts the domain onto its adapters: every object of the process is made here, once. */
export function assemble(
  adapters: Adapters,
  { options, settings, onUnexpected, metrics, rates, issuedTokens }: Surroundings,
) {
  const { store, keys, queue, egress, transport } = adapters;
  const newId = (): string => randomUUID();
  const address = { url: '' };
  const connections = connectionDirectory(store);
  const principals = principalDirectory(store);
  const organizations = organizationsIn(store);
  const operations = operationStore(store, { announce: announceOperation(systemIds) });
  const outbox = outboxStore(store);
  const inbox = inboxWork(store);
  const events = eventLog(store);
  const ledger = ledgerStore(store, {
    permille: BigInt(Math.round(settings.SWITCHYARD_SPEND_LIMIT * 1_000)),
  });
  const isLocal = options.profile === 'local';
  const vault = createVault({
    kms: keys,
    store: credentialStore(store),
    clock: systemClock,
    newId,
    randomBytes,
  });
  const lease = leaseSecretsFrom(vault, metrics);
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
    randomBytes,
    times,
    kmsKeys: allowedKmsKeys(settings),
  });
  const signers = signerDirectory(store);
  const strangers: { organizationId?: string } = {};
  const trust = assembleTrust({
    store,
    egress,
    connections,
    queryCapabilities: capabilitiesQuery({ connections, lease, transport, clock: systemClock }),
    askSigner: signerQuery({ signers, transport, clock: systemClock }),
    metrics,
    settings,
    isLocal,
    strangersOf: () => strangers.organizationId,
    onUnexpected,
  });
  const identity = createIdentityAdmin({
    ownKeys,
    times,
    principals,
    signers,
    egress,
    clock: systemClock,
    newId,
    trustsTestKeys: isLocal,
  });
  const identities = identityDirectory(store);
  const principalAdmin = createPrincipalAdmin({
    principals,
    identities,
    issuedTokens,
    egress,
    clock: systemClock,
    newId,
    randomBytes,
    trustsTestKeys: isLocal,
  });
  const health: HealthSink = {
    changed: (change) => {
      connections.saveHealth(change).catch((error: unknown) => onUnexpected(error, 'a health row'));
    },
  };
  const impairments = impairmentsIn(store, ledger);
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
    relearn,
    learnReports: learnReportMode({ connections, clock: systemClock }),
    insertCeilings: insertCeilings(rates.inserts),
    clock: systemClock,
    ids: systemIds,
    callbackBase: () => address.url,
    notice: (what) => onUnexpected(logError(what), `${what.seller} ${what.legId}`),
    breakers: new BreakerBoard(defaultBreakerPolicy, health),
    bulkhead: new Bulkhead(callsAtOnce),
  };
  const creatives = creativeStore(store);
  const approvals = approvalStore(store);
  const accounts = accountRepository(store);
  const rehearsal = isLocal ? createTestController({ ...ports, accounts, creatives }) : undefined;
  const handlers: HandlerDeps = {
    ports,
    ...(rehearsal === undefined ? {} : { rehearsal }),
    creatives,
    answers: answerCache(store),
    principals,
    accounts,
    taskLog: taskLog(store),
    billing: billingRepository(store),
    domainOf: (scope) => organizations.domainOf(scope),
    operators: createOperatorCheck({
      documents: createBrandDocuments(egress, systemClock),
      delegations: delegationsIn(store),
      domainOf: (scope) => organizations.domainOf(scope),
      clock: systemClock,
      isLocal,
    }),
    publishers: createPublisherWords({ egress, clock: systemClock }),
    declareOnFirstUse: isLocal,
    takesPlaceholderSecrets: isLocal,
    refuseCallback: async (url) => {
      const judged = await egress.checkUrl(url);
      return judged.ok ? undefined : judged.error.message;
    },
    sealCallback: callbacks.seal,
    outbox,
  };
  const onboarding: OnboardingDeps = {
    connections,
    vault,
    lease,
    transport,
    egress,
    clock: systemClock,
    newId,
    randomBytes,
  };
  const due = dueWork(store);
  const nonces = replayStore(store, { clock: systemClock, cap: webhookNoncesPerKey });
  const hands: ScheduledJobsDeps & RecoveryDeps & Omit<LeftBehind, 'organizations'> = {
    abandoned: abandonedWork(store),
    ports,
    creatives,
    approvals,
    store,
    connections,
    inbox,
    ledger,
    due,
    nonces,
    ownKeys,
    reads: oldReads(store),
    callbackSecrets: callbackSecretsPurge(store),
    refusals: trust.refusals,
    alarms: trust.alarms,
    endless: endlessLegs(store),
    impairments,
    watches: reportWatches(store),
    purge: inboxPurge(store),
    keepBytesMs: daysMs(settings.SWITCHYARD_WEBHOOK_BYTES_DAYS),
    outboxPurge: outboxPurge(store),
    keepActivityMs: daysMs(settings.SWITCHYARD_WEBHOOK_ACTIVITY_DAYS),
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
    metrics,
    onUnexpected,
  });
  const evidence = evidenceVault(vault);
  const intake: IntakeDeps = {
    registrations: webhookRegistrations(store),
    standing: { report: relayReportRegistration(store), native: relayNativeRegistration(store) },
    inbox: inboxStore(store),
    bound: senderBound(systemClock, settings.SWITCHYARD_WEBHOOKS_PER_MINUTE),
    nonces,
    keys: trust.sellerKeys,
    verdicts: trust.verdicts,
    secrets: webhookSecrets(vault, credentialStore(store), systemClock),
    own: localCredentials(lease, systemClock, newId),
    onEcho: (by) => trust.echoes.echoed(by),
    evidence,
    connections,
    clock: systemClock,
    newId,
    baseUrl: () => address.url,
    metrics,
    wake: (organizationId) => {
      void queue.wake(topics.inbox, { organizationId, key: 'inbox' });
    },
  };
  const dispatch: DispatchDeps = {
    outbox,
    streams: reportStreams(store),
    due,
    egress,
    signerFor: ownKeys.signerFor,
    openCallback: callbacks.open,
    clock: systemClock,
    ids: systemIds,
    random: Math.random,
    onUnexpected,
  };
  return {
    address,
    ownKeys,
    signatures: trust.signatures,
    trust,
    strangers,
    identity,
    principalAdmin,
    identities,
    signers,
    ports,
    approvals,
    creatives,
    connections,
    principals,
    organizations,
    operations,
    inbox,
    events,
    ledger,
    vault,
    handlers,
    taskCallbacks: taskCallbacks(store),
    rehearsal,
    onboarding,
    hands,
    dispatch,
    relay,
    delegations: delegationsIn(store),
    intake,
    evidence,
    lease,
  };
}
