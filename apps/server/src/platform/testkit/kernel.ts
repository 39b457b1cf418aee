import { randomBytes, randomUUID } from 'node:crypto';
import {
  alarmRepository,
  auditLog,
  connectionDirectory,
  credentialStore,
  organizations,
  principalDirectory,
  type Store,
} from '@switchyard/store';
import { createTelemetry, noTracing } from '@switchyard/telemetry';
import { memoryKeyManagement } from '@switchyard/testing';
import type { Clock } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import type { Kernel } from '../kernel.js';

/** What a capability makes its things from, on the database of a spec. Nothing leaves the process. */
export function specKernel(store: Store, clock: Clock): Kernel {
  const unused = (): never => {
    throw new Error('A spec of one module sends nothing.');
  };
  const egress = { request: unused, open: unused, post: unused, fetchLike: unused, checkUrl: unused };
  const credentials = credentialStore(store);
  const newId = randomUUID;
  return {
    ...{ store, clock, newId, isLocal: true, url: () => 'https://agency.example', tracing: noTracing },
    egress: { ...egress, close: () => Promise.resolve() },
    isStopped: () => Promise.resolve(false),
    vault: createVault({ kms: memoryKeyManagement(), store: credentials, clock, newId, randomBytes }),
    connections: connectionDirectory(store),
    principals: principalDirectory(store),
    organizations: organizations(store),
    audit: auditLog(store),
    alarms: alarmRepository(store, clock),
    metrics: createTelemetry({ level: 'silent', processFigures: false }).metrics,
    onUnexpected: (error) => {
      throw error;
    },
  };
}
