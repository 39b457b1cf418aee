import { pushesOf, submittedTask } from '../agent/submitted-task.js';
import type { Agent } from '../agent/agent.js';
import type { Activation } from '../buys/books-entry.js';
import { isObject, listOf, objectOf, textOf, textsOf, type JsonObject } from '../json.js';
import { microsOf } from '../micros.js';
import { done, refuse, type Outcome } from '../agent/outcome.js';
import { readPush } from '../webhooks/read-webhooks.js';
import { deploymentOf, showSignal, targetKey } from './show-signal.js';
import { fittingSignals, type CatalogueSignal } from './signals-catalogue.js';
import type { NativeCall } from '../agent/tool.js';

/** The signals that fit the request, with their state at each target. */
export function getSignals(agent: Agent, args: JsonObject): Outcome {
  const service = agent.personality.form === 'service';
  const where = service ? (objectOf(args['deliver_to']) ?? {}) : args;
  const targets = targetsOf(where[service ? 'deployments' : 'destinations']);
  const brief = textOf(args['signal_spec']);
  const ids = service ? undefined : idsOf(args['signal_ids']);
  if (brief === undefined && ids === undefined)
    return refuse('INVALID_REQUEST', 'signal_spec is required', 'signal_spec');
  if (service && targets.length === 0) {
    return refuse('INVALID_REQUEST', 'deployments are required', 'deliver_to.deployments');
  }
  const most = typeof args['max_results'] === 'number' ? args['max_results'] : 50;
  const filters = objectOf(args['filters']) ?? {};
  const offered = agent.signals
    .filter(passing(filters))
    .filter((signal) => ids === undefined || ids.includes(signal.segmentId));
  const found = (brief === undefined ? offered : fittingSignals(offered, brief)).slice(0, most);
  const signals = found.map((signal) => showSignal(agent, signal, targets));
  return done(service ? { signals } : { signals, cache_scope: 'account' });
}

/** The releases can also name signals: by the id in a provider's catalogue. */
function idsOf(value: JsonObject[string] | undefined): readonly string[] | undefined {
  return listOf(value)?.flatMap((signal) => textOf(objectOf(signal)?.['id']) ?? []);
}

/** Activates a signal at some targets: at once, or later with an estimate now and a webhook then. Or deactivates it. */
export function activateSignal(agent: Agent, args: JsonObject, native?: NativeCall): Outcome {
  const service = agent.personality.form === 'service';
  const field = service ? 'deployments' : 'destinations';
  const segmentId = textOf(args['signal_agent_segment_id']) ?? '';
  if (!agent.signals.some((signal) => signal.segmentId === segmentId)) {
    const code = agent.personality.dialect === 'ads' ? 'SIGNAL_AGENT_SEGMENT_NOT_FOUND' : 'SIGNAL_NOT_FOUND';
    return refuse(code, 'no such signal', 'signal_agent_segment_id', 'Use one that get_signals gave.');
  }
  const targets = targetsOf(args[field]);
  if (targets.length === 0) return refuse('INVALID_REQUEST', 'at least one target is required', field);
  if (args['action'] === 'deactivate') return takeBack(segmentId, targets);
  if (targets.every((target) => agent.books.activation(segmentId, targetKey(target))?.live)) {
    return refuse('ALREADY_ACTIVATED', 'the signal is live there', field, 'Read its key with get_signals.');
  }
  const push = readPush(agent.personality.form, args['push_notification_config']);
  if (push && 'errors' in push) return { status: 'failed', ...push };
  const live = agent.personality.activation === 'at-once';
  const activations = targets.map((target) => activated(agent, segmentId, target, live));
  const deployments = targets.map((target, index) => deploymentOf(segmentId, target, activations[index]));
  if (live) return done({ deployments }, { activations });
  const task = submittedTask(
    { agent, args, native, pushes: pushesOf(push, native?.push) },
    {
      taskType: 'activate_signal',
      message: 'Activation is under way.',
      steps: [{ afterMs: 6000 * agent.scale, state: 'completed' }],
      activation: { segmentId, targets },
    },
  );
  const body = {
    status: 'submitted',
    task_id: task.taskId,
    message: 'Activation is under way.',
    deployments,
  };
  return { status: 'submitted', body, entry: { task, activations } };
}

/** At once, also for activations in progress. The older form has no member for it, and so never requests it. */
function takeBack(segmentId: string, targets: readonly JsonObject[]): Outcome {
  const activations = targets.map((target): Activation => ({
    segmentId,
    target: targetKey(target),
    live: false,
    takenBack: true,
  }));
  const deployments = targets.map((target, index) => deploymentOf(segmentId, target, activations[index]));
  return done({ deployments }, { activations });
}

function activated(agent: Agent, segmentId: string, target: JsonObject, live: boolean): Activation {
  const deployedAt = live ? { deployedAt: new Date(agent.now()).toISOString() } : {};
  return { segmentId, target: targetKey(target), live, ...deployedAt };
}

function targetsOf(value: unknown): readonly JsonObject[] {
  const list = Array.isArray(value) ? (listOf(value) ?? []) : [];
  return list
    .filter(isObject)
    .filter((target) => target['type'] === 'platform' || target['type'] === 'agent');
}

function passing(filters: JsonObject): (signal: CatalogueSignal) => boolean {
  const types = textsOf(filters['catalog_types']);
  const providers = textsOf(filters['data_providers']);
  const most = microsOf(filters['max_cpm']);
  const least = filters['min_coverage_percentage'];
  return (signal) =>
    (!types || types.includes(signal.catalogType)) &&
    (!providers || providers.includes(signal.dataProvider)) &&
    (most === undefined || signal.cpmMicros <= most) &&
    (typeof least !== 'number' || signal.coverage >= least);
}
