import { Module } from '@nestjs/common';
import type { LeaseSecrets } from '@switchyard/buys';
import type { SellerKeySource } from '@switchyard/sellers';
import {
  callbackSecretsPurge,
  chainEvidence,
  credentialStore,
  dueWork,
  eventLog,
  inboxPurge,
  inboxStore,
  inboxWork,
  onboardingRuns,
  outboxLog,
  outboxPurge,
  outboxStore,
  relayNativeRegistration,
  relayReportRegistration,
  replayStore,
  reportStreams,
  senderKeys as senderKeysIn,
  subscriberStore,
  webhookRegistrations,
} from '@switchyard/store';
import type { KeyAlarms, PlatformKeys, RefusalLog } from '../keys/index.js';
import { systemIds } from '../platform/ids.js';
import type { Kernel } from '../platform/kernel.js';
import type { Subscriptions } from '../platform/tasks/operation/subscriptions.js';
import { messageOfChain } from './in/event-views.js';
import { localCredentials } from './in/local-credentials.js';
import { evidenceVault } from './in/seal-evidence.js';
import { senderBound } from './in/sender-bound.js';
import type { IntakeDeps } from './in/webhook-intake.js';
import { webhookSecrets } from './in/webhook-secrets.js';
import { watchWebhooks } from './in/webhook-verdicts.js';
import { askReceiver } from './out/ask-receiver.js';
import { callbackVault } from './out/callback-secrets.js';
import type { DispatchDeps } from './out/dispatch-events.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { eventRoutes } from './in/events.routes.js';
import { outgoingRoutes } from './out/outgoing.routes.js';

export const webhooks = capabilityOf('webhooks', {
  events: eventRoutes,
  outgoing: outgoingRoutes,
});

@Module({ controllers: [...webhooks.controllers] })
export class WebhooksModule {}

/** What the capability is made of. */
export type Webhooks = ReturnType<typeof makeWebhooks>;

interface MadeFrom {
  readonly keyAlarms: KeyAlarms;
  readonly refusalLog: RefusalLog;
  readonly sellerKeys: SellerKeySource;
  readonly signerFor: PlatformKeys['signerFor'];
  readonly lease: LeaseSecrets;
  readonly onEcho: NonNullable<IntakeDeps['onEcho']>;
  readonly perMinute: Parameters<typeof senderBound>[1];
  readonly capabilitiesVersion: Subscriptions['capabilitiesVersion'];
}

/** The most nonces of one key that a webhook verifier stores (docs/protocol/signing.md#requests-to-us). */
const webhookNoncesPerKey = 100_000;

/** Webhooks of sellers to us, and ours to buyers. */
export function makeWebhooks(kernel: Kernel, { signerFor, lease, ...from }: MadeFrom) {
  const { store, vault, clock, newId, egress, isStopped } = kernel;
  const outbox = outboxStore(store);
  const callbacks = callbackVault(vault);
  const due = dueWork(store);
  const evidence = evidenceVault(vault);
  const nonces = replayStore(store, { clock, cap: webhookNoncesPerKey });
  const senderKeys = senderKeysIn(store, clock);
  const subscriptions: Subscriptions = {
    store: subscriberStore(store),
    ask: (...question) => askReceiver({ egress, signerFor, isStopped }, ...question),
    capabilitiesVersion: from.capabilitiesVersion,
  };
  const intake: Omit<IntakeDeps, 'notifyInbox'> = {
    ...{ ...kernel, nonces, senderKeys, evidence, keys: from.sellerKeys, onEcho: from.onEcho },
    registrations: webhookRegistrations(store),
    standing: { report: relayReportRegistration(store), native: relayNativeRegistration(store) },
    inbox: inboxStore(store),
    bound: senderBound(clock, from.perMinute),
    verdicts: watchWebhooks(from.keyAlarms, from.refusalLog),
    secrets: webhookSecrets(vault, credentialStore(store), clock),
    localCredentials: localCredentials(lease, clock, newId),
    challenges: onboardingRuns(store),
    baseUrl: kernel.url,
  };
  const dispatch: DispatchDeps = {
    ...{ ...kernel, outbox, due, signerFor, openCallback: callbacks.open, ids: systemIds },
    streams: reportStreams(store),
    subscribers: { ...subscriptions, agentUrl: () => `${kernel.url()}/mcp` },
    random: Math.random,
  };
  return {
    ...{ outbox, due, nonces, evidence, senderKeys, subscriptions, intake, dispatch, messageOfChain },
    callbackSecrets: callbackSecretsPurge(store),
    chainEvidence: chainEvidence(store),
    events: eventLog(store),
    inbox: inboxWork(store),
    outboxPurge: outboxPurge(store),
    outgoing: outboxLog(store),
    purge: inboxPurge(store),
    sealCallback: callbacks.seal,
  };
}
