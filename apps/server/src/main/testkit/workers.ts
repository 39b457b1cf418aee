import { randomBytes, randomUUID } from 'node:crypto';
import { createEgress } from '@switchyard/egress';
import type { ReadPorts } from '@switchyard/buys';
import { openQueue, prepareQueueSchema, type QueueConnection } from '@switchyard/queue';
import {
  endpointRepository,
  jobFiles,
  jobRepository,
  noticeRepository,
  principalDirectory,
  abandonedWork,
  alarmRepository,
  auditLog,
  callbackSecretsPurge,
  adminAnswers,
  changeLog,
  connectionDirectory,
  creativeStore,
  endlessLegs,
  inboxPurge,
  makeMonths,
  internalApprovals,
  oldReads,
  operationStore,
  outboxPurge,
  outboxStore,
  platformKeyStore,
  refusedSignatures,
  relayLog,
  replayStore,
  reportStreams,
  sellerAccounts,
  sellerLife,
} from '@switchyard/store';
import { err, must } from '@switchyard/values';
import { createPlatformKeys } from '../../keys/platform-keys.js';
import { jobItems } from '../../platform/jobs/job-items.js';
import type { DispatchDeps } from '../../webhooks/out/dispatch-events.js';
import type { BackgroundContext } from '../background-context.js';
import type { SpecInbox } from '../../webhooks/testkit/inbox.js';

const none = () => Promise.resolve(err({ code: 'key_unavailable' as const, message: 'No key service.' }));

/** Returns all workers on the database of these specs. */
export function specWorkers(inbox: SpecInbox, ports: ReadPorts): BackgroundContext {
  const { store, clock } = inbox;
  const workers = {
    ...inbox.deps,
    ports,
    creatives: creativeStore(store),
    abandoned: abandonedWork(store),
    nonces: replayStore(store, { clock, cap: 10 }),
    ownKeys: createPlatformKeys({
      store: platformKeyStore(store),
      vault: inbox.vault,
      service: { publicKey: none, sign: none },
      clock,
      isStopped: () => Promise.resolve(false),
      randomBytes,
      times: { wait: 0, retire: 0 },
    }),
    reads: oldReads(store),
    callbackSecrets: callbackSecretsPurge(store),
    internal: internalApprovals(store),
    refusals: refusedSignatures(store),
    removal: {
      connections: connectionDirectory(store),
      life: sellerLife(store),
      sellerAccounts: sellerAccounts(store),
      vault: inbox.vault,
      transport: { forget: () => Promise.resolve() },
      clock,
    },
    alarms: alarmRepository(store, clock),
    endless: endlessLegs(store),
    purge: inboxPurge(store),
    changeLog: changeLog(store),
    adminAnswers: adminAnswers(store),
    ledgerMonths: { make: () => makeMonths(store.pool) },
    changesRetentionMs: 1,
    bytesRetentionMs: 1,
    outboxPurge: outboxPurge(store),
    activityRetentionMs: 1,
    audit: auditLog(store),
    auditRetentionMs: 1,
  };
  const custody = {
    log: relayLog(store),
    store: operationStore(store),
    clock: ports.clock,
    keyidOf: () => Promise.resolve(undefined),
    openForMs: 60_000,
    isAlone: false,
  };
  const dispatch = {
    outbox: outboxStore(store),
    streams: reportStreams(store),
    due: inbox.deps.due,
    egress: createEgress({ allowLoopback: true }),
    signerFor: none,
    openCallback: none,
    clock: ports.clock,
    ids: { uuid: randomUUID },
    random: () => 0.5,
    onUnexpected: inbox.deps.onUnexpected,
  } as unknown as DispatchDeps;
  const jobs = jobRepository(store);
  const runs = {
    jobs,
    items: jobItems(inbox.vault, jobs),
    principals: principalDirectory(store),
    isStopped: () => false,
    clock,
    onUnexpected: inbox.deps.onUnexpected,
    jobFiles: jobFiles(store),
    kinds: [],
  };
  const notices = {
    notices: noticeRepository(store),
    mailOfSignIn: () => Promise.resolve(undefined),
    endpoints: endpointRepository(store),
    egress: dispatch.egress,
    vault: inbox.vault,
    isStopped: () => Promise.resolve(false),
    baseUrl: () => 'http://127.0.0.1',
    clock,
    random: () => 0.5,
    onUnexpected: inbox.deps.onUnexpected,
  };
  return { workers, dispatch, custody, jobs: runs, notices, atOnce: 4, stopWithinMs: 60_000 };
}

/** Opens the queue of an instance without Redis, in the same database. */
export async function specQueue({ ownerUrl, appUrl }: SpecInbox): Promise<QueueConnection> {
  const prepared = await prepareQueueSchema({ ownerUrl, applicationRole: new URL(appUrl).username });
  return must(prepared.ok ? await openQueue({ databaseUrl: appUrl }) : prepared);
}
