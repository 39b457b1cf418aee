import type { Agent } from '../agent/agent.js';
import type { Activation } from '../buys/books-entry.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { amountOf } from '../micros.js';
import type { CatalogueSignal } from './signals-catalogue.js';

/** Seconds are announced as a minute: agents count whole minutes. */
const activationMinutes = 1;

/** The key of one target, from its contents and not its form. */
export function targetKey(target: JsonObject): string {
  const where = textOf(target['platform']) ?? textOf(target['agent_url']) ?? '';
  return [textOf(target['type']) ?? '', where, textOf(target['account']) ?? ''].join('|');
}

/** The state of a signal at one target. The key is shown only once it is active. */
export function deploymentOf(
  segmentId: string,
  target: JsonObject,
  activation: Activation | undefined,
): JsonObject {
  const where = compact({
    type: target['type'],
    platform: target['platform'],
    agent_url: target['agent_url'],
    account: target['account'],
  });
  if (!activation || activation.takenBack) return { ...where, is_live: false };
  if (!activation.live) {
    return { ...where, is_live: false, estimated_activation_duration_minutes: activationMinutes };
  }
  const onPlatform = target['type'] === 'platform';
  const key: JsonObject = onPlatform
    ? { type: 'segment_id', segment_id: `${segmentId}_seg` }
    : { type: 'key_value', key: 'audience', value: segmentId };
  return compact({ ...where, is_live: true, activation_key: key, deployed_at: activation.deployedAt });
}

/** One signal in the agent's form, with its state at each requested target. */
export function showSignal(
  agent: Agent,
  signal: CatalogueSignal,
  targets: readonly JsonObject[],
): JsonObject {
  const cpm = amountOf(signal.cpmMicros);
  const shared: JsonObject = {
    signal_agent_segment_id: signal.segmentId,
    name: signal.name,
    description: signal.description,
    signal_type: signal.catalogType,
    data_provider: signal.dataProvider,
    coverage_percentage: signal.coverage,
    deployments: targets.map((target) =>
      deploymentOf(signal.segmentId, target, agent.books.activation(signal.segmentId, targetKey(target))),
    ),
  };
  if (agent.personality.form === 'service') return { ...shared, pricing: { cpm, currency: 'USD' } };
  return {
    ...shared,
    signal_id: {
      source: 'catalog',
      data_provider_domain: signal.providerDomain,
      id: signal.segmentId,
    },
    value_type: 'binary',
    pricing_options: [{ pricing_option_id: 'cpm_usd', model: 'cpm', cpm, currency: 'USD' }],
  };
}
