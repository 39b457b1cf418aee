import { defined, err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf, priceAt } from '../../message/amount.js';
import { projectDeployment, readDeployment, type Deployment } from './deployment.js';
import { is3x, markSeller, sellerOf } from '../../message/form.js';
import {
  completed,
  listAt,
  member,
  numberAt,
  objectAt,
  objectsAt,
  patched,
  textAt,
} from '../../message/pick.js';
import type { Original } from '../../message/original.js';

export interface Signal {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  /** The seller's address, for forms that require a source where the seller gave none. */
  readonly agentUrl?: string;
  readonly segmentId: string;
  readonly name: string;
  readonly description: string;
  readonly catalogType: string;
  readonly dataProvider: string;
  readonly coveragePercentage?: number;
  readonly deployments: readonly Deployment[];
  /** Its cost per mille: the first of its prices. */
  readonly pricing?: { readonly cpm: string; readonly currency: string };
  readonly original: Original;
}

const sourceId = /[^a-zA-Z0-9_-]+/g;

/** Reads one signal of a seller; it needs an id, a name and a list of deployments. */
export function readSignal(
  value: unknown,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<Signal, Finding> {
  if (!isJsonObject(value)) return err(odd('a signal is no object'));
  const segmentId = textAt(value, 'signal_agent_segment_id');
  const name = textAt(value, 'name');
  const deployments = listAt(value, 'deployments');
  if (segmentId === undefined) return err(odd('a signal has no signal_agent_segment_id'));
  if (name === undefined) return err(odd('a signal has no name', segmentId));
  if (deployments === undefined) return err(odd('a signal has no list of deployments', segmentId));
  return ok({
    segmentId,
    name,
    description: textAt(value, 'description') ?? '',
    catalogType: textAt(value, 'signal_type') ?? textAt(value, 'catalog_type') ?? 'marketplace',
    dataProvider: textAt(value, 'data_provider') ?? '',
    deployments: deployments.map(readDeployment).filter((deployment) => deployment !== undefined),
    ...defined({
      coveragePercentage: numberAt(value, 'coverage_percentage'),
      pricing: readPricing(value, pointer, exact),
      seller: sellerOf(value),
    }),
    original: { form, value },
  });
}

/** Required members of a signal in each form. */
const required: Readonly<Record<Form, readonly string[]>> = {
  service: [],
  '2.5': ['description', 'signal_type', 'data_provider', 'coverage_percentage', 'pricing'],
  '3.0': [
    'signal_id',
    'description',
    'signal_type',
    'data_provider',
    'coverage_percentage',
    'pricing_options',
  ],
  '3.1': ['description', 'signal_type'],
};

/** A signal in a form's own members. If the form is the original's, the original is patched and completed. */
export function projectSignal(signal: Signal, to: Form): JsonObject {
  const { form, value } = signal.original;
  const typed = {
    signal_agent_segment_id: signal.segmentId,
    deployments: signal.deployments.map(projectDeployment),
  };
  if (form !== to) return markSeller(structuredClone(builtSignal(signal, to, typed)), signal.seller, to);
  // Since 3.1 a reference replaces the id.
  const requested = to === '3.1' && value['signal_ref'] === undefined ? ['signal_id'] : [];
  const members = completed(patched(value, typed), () => builtSignal(signal, to, typed), [
    ...required[to],
    ...requested,
  ]);
  return markSeller(members, signal.seller, to);
}

function builtSignal(signal: Signal, to: Form, typed: JsonObject): JsonObject {
  const { form, value } = signal.original;
  // An unknown reach or price is zero only where a release requires a number, else absent.
  const isDemanded = to === '2.5' || to === '3.0';
  const unknown = isDemanded ? 0 : undefined;
  const common = {
    ...typed,
    name: signal.name,
    description: signal.description,
    ...defined({
      data_provider: signal.dataProvider === '' && !isDemanded ? undefined : signal.dataProvider,
      coverage_percentage: signal.coveragePercentage ?? unknown,
    }),
    signal_type: signal.catalogType,
  };
  const isPriced = signal.pricing !== undefined || signal.catalogType === 'owned' || isDemanded;
  if (!is3x(to)) return { ...common, ...(isPriced ? { pricing: flatPricing(signal) } : {}) };
  const options = member(value, 'pricing_options') ?? (isPriced ? optionsOf(signal) : undefined);
  return {
    ...(is3x(form) ? value : {}),
    ...common,
    signal_id: member(value, 'signal_id') ?? sourceOf(signal),
    ...defined({ pricing_options: options }),
  };
}

/** `pricing` of the older forms, or the first cost per mille among `pricing_options`. */
function readPricing(value: JsonObject, pointer: string, exact: ExactNumbers): Signal['pricing'] | undefined {
  const flat = objectAt(value, 'pricing');
  const flatCpm = priceAt(flat, 'cpm', `${pointer}/pricing`, exact);
  if (flatCpm !== undefined) return { cpm: flatCpm, currency: textAt(flat, 'currency') ?? 'USD' };
  for (const [index, option] of (listAt(value, 'pricing_options') ?? []).entries()) {
    if (!isJsonObject(option)) continue;
    const cpm = priceAt(option, 'cpm', `${pointer}/pricing_options/${index}`, exact);
    const currency = textAt(option, 'currency');
    if (cpm !== undefined && currency !== undefined) return { cpm, currency };
  }
  return undefined;
}

/** Owned signals are free: the older forms write a price of zero. */
function flatPricing(signal: Signal): JsonObject {
  const { cpm, currency } = signal.pricing ?? { cpm: '0', currency: 'USD' };
  return { cpm: numberOf(cpm), currency };
}

function optionsOf(signal: Signal): JsonObject[] {
  const { cpm, currency } = signal.pricing ?? { cpm: '0', currency: 'USD' };
  return [{ pricing_option_id: 'cpm', model: 'cpm', cpm: numberOf(cpm), currency }];
}

/** 3.x requires a source and an id without a colon, so the id is derived and never read back. */
function sourceOf(signal: Signal): JsonObject {
  const id = signal.segmentId.replace(sourceId, '_');
  return { source: 'agent', agent_url: signal.agentUrl ?? 'https://unknown.invalid', id };
}

/** All prices per mille of a signal, as decimal texts; empty where it has none. */
export function signalCpms({ pricing, original }: Signal): readonly string[] {
  const offered = objectsAt(original.value, 'pricing_options')
    .map((option) => priceAt(option, 'cpm', '', new Map()))
    .filter((cpm) => cpm !== undefined);
  return [...new Set([...(pricing === undefined ? [] : [pricing.cpm]), ...offered])];
}

function odd(message: string, field?: string): Finding {
  return { code: 'SIGNAL_SET_ASIDE', message, ...(field === undefined ? {} : { field }) };
}
