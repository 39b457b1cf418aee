import { tasks as protocolTasks } from '@switchyard/protocol';
import { adminAnswers, answerCache, oauthStore } from '@switchyard/store';
import { tracedCalls } from '@switchyard/telemetry';
import { keySet } from '../keys/key-set.js';
import { createOAuthKeys } from '../people/oauth/signing-keys.js';
import type { RateLimits } from '../platform/caller/rate-limits.js';
import { createAdmission } from '../platform/http/admission.js';
import type { Gate } from '../platform/http/admit.js';
import { ChangeStreams } from '../platform/routes/change-streams.js';
import { oncePerKey } from '../platform/routes/once-per-key.js';
import { actRecorder } from '../platform/routes/record-act.js';
import { countTasks } from '../platform/tasks/count-tasks.js';
import { createAnsweredTasks } from '../platform/tasks/operation/answered-tasks.js';
import { createTaskPush } from '../platform/tasks/operation/task-push.js';
import { createTaskService } from '../platform/tasks/task-service.js';
import { createRelay } from '../relay/create-relay.js';
import { createWebhookIntake } from '../webhooks/in/webhook-intake.js';
import { CapabilitiesModule } from './capabilities.module.js';
import { drainMsWithin } from './close-in-order.js';
import type { Parts, Surroundings } from './compose.js';
import { handlerOf } from './handler-table.js';
import type { Readiness } from './readiness.js';
import type { RowDeps } from './routes.js';
import type { ServerOptions } from './server.js';
import type { Served, ServerPorts } from './server-ports.js';
import type { SwitchyardOptions } from './switchyard-options.js';
import { tracedTasks } from './traced.js';
import { requestWatch, watchedRelay } from './watch.js';
import type { Background } from './workers.module.js';

const longestTaskMs = Math.max(...protocolTasks.map(({ deadlineMs }) => deadlineMs));

const relayCalls = ['pass', 'passKnown', 'tooLarge'] as const;

interface Behind {
  readonly options: SwitchyardOptions;
  readonly rows: RowDeps;
  readonly limits: RateLimits;
  readonly background: Background;
  readonly changes: ChangeStreams;
  readonly ready: () => Readiness;
}

/** What the HTTP server of a process serves, and where. */
export function serverOptionsOf(parts: Parts, around: Surroundings, behind: Behind): ServerOptions {
  const { options } = behind;
  const { http, load } = around.configuration;
  return {
    ...{
      ...options,
      ...http,
      ports: portsOf(parts, around, behind),
      served: servedOf(parts, around, behind),
    },
    publicOrganizationId: behind.rows.people.local.scope.organizationId,
    gate: gateOf(parts, around),
    drainMs: Math.min(longestTaskMs, drainMsWithin(load.stopWithinMs - load.stopGraceMs)),
    onUnexpected: parts.onUnexpected,
    healthOnly: options.role === 'workers',
  };
}

/** The changes that callers may follow. */
export function openChanges(parts: Parts, { configuration: { settings } }: Surroundings): ChangeStreams {
  return new ChangeStreams({
    ...{ ...parts, log: parts.changeLog, most: settings.SWITCHYARD_STREAMS },
    mostPerPrincipal: settings.SWITCHYARD_STREAMS_PER_CALLER,
  });
}

function servedOf(parts: Parts, { watching }: Surroundings, { rows }: Behind): Served {
  const { kernel, store, audit, clock, onUnexpected } = parts;
  const { local } = rows.people;
  return {
    recordAct: actRecorder({ audit, clock, local, onUnexpected, log: watching.events }),
    oncePerKey: oncePerKey({ answers: adminAnswers(store), clock, local, onUnexpected }),
    modules: [CapabilitiesModule.on(kernel, rows)],
  };
}

function gateOf({ clock }: Parts, { adapters, configuration: { load } }: Surroundings): Gate {
  return {
    calls: createAdmission(load.calls, { clock, busyShare: busyShare() }),
    webhooks: createAdmission(load.webhooks, { clock, busyShare: busyShare() }),
    isAvailable: () => adapters.watch.isAvailable(),
  };
}

function portsOf(
  parts: Parts,
  around: Surroundings,
  { rows, limits, background, ...behind }: Behind,
): ServerPorts {
  const { metrics, tracing, handlers, quotas, clock, signatures, principals, signIn } = parts;
  const { grants, identities, issuedTokens, isStopped } = parts;
  const { events } = around.watching;
  const service = createTaskService({ ...handlers, rates: limits, quotas }, handlerOf);
  const { notifyInbox } = background;
  const webhooks = createWebhookIntake({ ...parts.intake, log: events, notifyInbox, rates: limits });
  const relay = createRelay({ ...parts.relay, rates: limits, quotas });
  return {
    ...{ changes: behind.changes, tracing, clock, quotas, isStopped, rates: limits },
    ...{ signatures, principals, signIn, grants, identities, issuedTokens },
    ...(parts.testController !== undefined && { testController: parts.testController }),
    tasks: tracedTasks(countTasks(service, metrics, events), tracing),
    onSignIn: (attempt) => {
      metrics.signIns.inc({ way: attempt.way, outcome: attempt.outcome });
      events('sign_in', attempt);
    },
    assistantActs: rows.platform.assistants.acts,
    answeredTasks: createAnsweredTasks(answerCache(parts.store), clock),
    taskPush: createTaskPush({ ...handlers, taskCallbacks: parts.taskCallbacks, rates: limits }),
    webhooks: tracedCalls(tracing, 'webhook', webhooks, ['accept']),
    publishedKeys: async (state) => keySet(await parts.ownKeys.published(), state, parts.isLocal),
    scim: parts,
    publishedHeads: (organizationId) => parts.anchors.published({ organizationId }),
    relay: tracedCalls(tracing, 'relay', watchedRelay(relay, { metrics, events }), relayCalls),
    oauth: oauthPorts(parts, rows),
    ready: { check: () => Promise.resolve(behind.ready()) },
    metrics: {
      contentType: metrics.contentType,
      render: () => metrics.exposition(),
      isElsewhere: around.configuration.settings.SWITCHYARD_MANAGEMENT_PORT !== undefined,
      answered: requestWatch(metrics, events),
    },
  };
}

function oauthPorts(parts: Parts, { people: { local } }: RowDeps): NonNullable<ServerPorts['oauth']> {
  const store = oauthStore(parts.store);
  return {
    ...{ ...parts, store, limits: parts.spendingLimits },
    keys: createOAuthKeys({ store, vault: parts.vault, custodian: local.scope, clock: parts.clock }),
  };
}

/** The share of its time that the event loop was busy since the last call. */
function busyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
