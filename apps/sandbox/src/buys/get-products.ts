import type { Agent, Caller } from '../agent/agent.js';
import { matching, type CatalogueProduct, type Pricing } from './catalogue.js';
import { compact, objectOf, textOf, textsOf, type JsonObject, isObject, listOf } from '../json.js';
import { done, refuse, type Outcome, refusal, type Refusal } from '../agent/outcome.js';
import { propose, showProposal, finalized, planNamed } from './propose.js';
import type { ProposalState } from './books-entry.js';
import { formatId, formatOption } from '../creatives/formats.js';
import { creativePolicy } from '../creatives/provenance.js';
import { pushesOf, submittedTask } from '../agent/submitted-task.js';
import type { NativeCall } from '../agent/tool.js';
import { viewsCountedBy } from '../delivery/report.js';
import { readPush } from '../webhooks/read-webhooks.js';
import { amountOf } from '../micros.js';
import type { BooksEntry } from './books-entry.js';

/** The products that fit the brief, now or later. Anybody sees the standard ones, without prices. */
export function getProducts(agent: Agent, args: JsonObject, caller: Caller, native?: NativeCall): Outcome {
  const found = findProducts(agent, args, caller);
  const isLater = agent.personality.searches === 'later' && args['buying_mode'] === 'brief';
  if (!isLater || caller !== 'known' || found.status === 'failed') return found;
  const push = readPush(agent.personality.form, args['push_notification_config']);
  if (push && 'errors' in push) return { status: 'failed', ...push };
  const pushes = pushesOf(push, native?.push);
  // Who cannot be told later is answered at once.
  if (pushes.length === 0) return found;
  const task = submittedTask(
    { agent, args, native, pushes },
    {
      taskType: 'get_products',
      message: 'People look for what fits.',
      steps: [{ afterMs: 2000 * agent.scale, state: 'completed' }],
      search: found.body,
    },
  );
  const body = { status: 'submitted', task_id: task.taskId, message: 'People look for what fits.' };
  return { status: 'submitted', body, entry: { task } };
}

function findProducts(agent: Agent, args: JsonObject, caller: Caller): Outcome {
  const brief = textOf(args['brief']);
  const mode = textOf(args['buying_mode']);
  if (agent.personality.form !== 'service') {
    if (mode !== 'brief' && mode !== 'wholesale' && mode !== 'refine') {
      return refuse('INVALID_REQUEST', 'buying_mode is brief, wholesale or refine', 'buying_mode');
    }
    if (mode === 'brief' && brief === undefined)
      return refuse('INVALID_REQUEST', 'a brief is required', 'brief');
    if (mode !== 'brief' && brief !== undefined) {
      return refuse('INVALID_REQUEST', `${mode} takes no brief`, 'brief');
    }
  }
  const filters = objectOf(args['filters']) ?? {};
  const offered = agent.products.filter(
    (product) => (caller === 'known' || !product.custom) && passes(agent, product, filters),
  );
  const refined = mode === 'refine' && caller === 'known' ? refineProducts(agent, args) : undefined;
  if (refined !== undefined && 'errors' in refined) return { status: 'failed', errors: refined.errors };
  const fitting = matching(offered, brief).filter(
    ({ productId }) => refined?.omitted.includes(productId) !== true,
  );
  const plan = mode === 'brief' && caller === 'known' ? propose(agent, fitting) : undefined;
  const proposals = plan === undefined ? (refined?.proposals ?? []) : [showProposal(agent, plan)];
  const body = compact({
    products: fitting.map((product) => showProduct(agent, product, caller)),
    proposals: proposals.length === 0 ? undefined : [...proposals],
    refinement_applied: refined === undefined ? undefined : [...refined.verdicts],
    cache_scope: agent.personality.form !== '3.1' ? undefined : caller === 'known' ? 'account' : 'public',
  });
  return done(body, refined?.entry);
}

function passes(agent: Agent, product: CatalogueProduct, filters: JsonObject): boolean {
  const metrics = metricsOf(agent, product);
  if (textsOf(filters['required_metrics'])?.every((name) => metrics.includes(name)) === false) return false;
  const channels = textsOf(filters['channels']);
  if (channels && !channels.includes(product.channel)) return false;
  const delivery = textOf(filters['delivery_type']);
  if (delivery !== undefined && (delivery === 'guaranteed') !== product.guaranteed) return false;
  const types = textsOf(filters['format_types']);
  return !types || types.some((type) => product.formatIds.some((id) => id.startsWith(type)));
}

/** A product in the agent's form; without prices for callers without credentials. */
function showProduct(agent: Agent, product: CatalogueProduct, caller: Caller): JsonObject {
  const priced = caller === 'known';
  const shared: JsonObject = {
    product_id: product.productId,
    name: product.name,
    description: product.description,
    format_ids: product.formatIds.map(formatId),
  };
  if (agent.personality.form === 'service') {
    return {
      ...shared,
      pricing_options: priced ? product.pricing.map(servicePricing) : [],
      targeting: { geo_countries: ['US', 'GB', 'DE'] },
      reporting_capabilities: reportingOf(agent, product),
    };
  }
  return {
    ...shared,
    ...(agent.personality.form === '3.1' ? { format_options: product.formatIds.map(formatOption) } : {}),
    publisher_properties: [{ publisher_domain: product.publisherDomain, selection_type: 'all' }],
    channels: [product.channel],
    delivery_type: product.guaranteed ? 'guaranteed' : 'non_guaranteed',
    is_custom: product.custom,
    pricing_options: product.pricing.map((option) =>
      releasePricing(option, agent.personality.currency, priced),
    ),
    reporting_capabilities: reportingOf(agent, product),
    delivery_measurement: { provider: agent.personality.name },
    ...cancellationOf(agent, product),
    ...standardsOf(agent, product),
    ...creativePolicy(agent.personality),
  };
}

function cancellationOf(
  { personality: { cancellationRate: rate } }: Agent,
  { guaranteed }: CatalogueProduct,
): JsonObject {
  if (rate === undefined || !guaranteed) return {};
  const cancellation_fee = { type: 'percent_remaining', rate };
  return { cancellation_policy: { notice_period: { interval: 14, unit: 'days' }, cancellation_fee } };
}

/** How much of a product is seen at least, and who counts that. */
function standardsOf({ personality: { countsViews } }: Agent, { channel }: CatalogueProduct): JsonObject {
  if (!countsViews || channel === 'streaming_audio') return {};
  const standard = { metric: 'viewability', threshold: 0.7, standard: 'mrc', vendor: viewsCountedBy };
  return { performance_standards: [standard] };
}

/** The metrics that delivery has of a product. */
function metricsOf({ personality: { countsViews } }: Agent, { channel }: CatalogueProduct): string[] {
  const views = countsViews && channel !== 'streaming_audio' ? ['viewability'] : [];
  return ['impressions', 'spend', 'clicks', ...views];
}

function reportingOf(agent: Agent, product: CatalogueProduct): JsonObject {
  return {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 0,
    timezone: agent.personality.timeZone,
    supports_webhooks: true,
    available_metrics: metricsOf(agent, product),
    date_range_support: 'date_range',
    ...(agent.personality.form === '3.1' ? { windowed_pull_granularities: ['daily'] } : {}),
  };
}

function servicePricing({ id, model, priceMicros }: Pricing): JsonObject {
  const amount = amountOf(priceMicros);
  return compact({
    pricing_option_id: id,
    pricing_model: model,
    price: model === 'cpm' ? amount : undefined,
    floor: model === 'cpm-auction' ? amount : undefined,
  });
}

function releasePricing(
  { id, model, priceMicros, minSpendMicros }: Pricing,
  currency: string,
  priced: boolean,
): JsonObject {
  const amount = amountOf(priceMicros);
  return compact({
    pricing_option_id: id,
    pricing_model: 'cpm',
    currency,
    fixed_price: priced && model === 'cpm' ? amount : undefined,
    floor_price: priced && model === 'cpm-auction' ? amount : undefined,
    price_guidance: priced && model === 'cpm-auction' ? guidanceOf(priceMicros) : undefined,
    min_spend_per_package: priced ? amountOf(minSpendMicros) : undefined,
  });
}

/** What won lately, in percentiles above the floor. */
function guidanceOf(floorMicros: bigint): JsonObject {
  const percentiles = { p25: 110n, p50: 130n, p75: 160n, p90: 190n };
  return Object.fromEntries(
    Object.entries(percentiles).map(([name, percent]) => [name, amountOf((floorMicros * percent) / 100n)]),
  );
}

interface Refined {
  readonly proposals: readonly JsonObject[];
  readonly verdicts: readonly JsonObject[];
  /** Products that the buyer excluded. */
  readonly omitted: readonly string[];
  readonly entry: BooksEntry;
}

/** Applies the changes of a refinement one by one; a proposal must be finalized alone. */
function refineProducts(agent: Agent, args: JsonObject): Refined | { readonly errors: readonly Refusal[] } {
  const changes = (listOf(args['refine']) ?? []).filter(isObject);
  if (changes.length === 0)
    return { errors: [refusal('INVALID_REQUEST', 'a refinement says what to change', 'refine')] };
  const finals = changes.filter(({ action }) => action === 'finalize').length;
  if (finals > 1)
    return {
      errors: [refusal('MULTI_FINALIZE_UNSUPPORTED', 'one proposal is finalized at a time', 'refine')],
    };
  if (finals === 1 && changes.length > 1)
    return { errors: [refusal('INVALID_REQUEST', 'a proposal is finalized in a call of its own', 'refine')] };
  const taken = changes.map((change) => takeUp(agent, change));
  const states = taken.flatMap(({ state }) => state ?? []);
  return {
    proposals: taken.flatMap(({ proposal }) => (proposal === undefined ? [] : [proposal])),
    verdicts: taken.map(({ verdict }) => verdict),
    omitted: changes.flatMap(({ scope, action, product_id: id }) =>
      scope === 'product' && action === 'omit' ? (textOf(id) ?? []) : [],
    ),
    entry: states.length === 0 ? {} : { proposals: states },
  };
}

interface Taken {
  readonly verdict: JsonObject;
  readonly proposal?: JsonObject;
  readonly state?: ProposalState;
}

function takeUp(agent: Agent, change: JsonObject): Taken {
  const { scope, action } = change;
  if (scope === 'request')
    return { verdict: { scope, status: 'unable', notes: 'Nobody here reads wishes.' } };
  if (scope === 'product') {
    const verdict = { scope, product_id: change['product_id'] ?? '', status: 'applied' };
    return { verdict };
  }
  const id = textOf(change['proposal_id']) ?? '';
  const reported = (status: string, notes?: string): JsonObject => ({
    scope: 'proposal',
    proposal_id: id,
    status,
    ...(notes === undefined ? {} : { notes }),
  });
  const plan = planNamed(agent, id);
  if (plan === undefined) return { verdict: reported('unable', 'There is no such proposal.') };
  if (action === 'omit') return { verdict: reported('applied') };
  const requested = textOf(change['ask']) !== undefined;
  const state =
    action === 'finalize' ? finalized(agent, plan) : requested ? { ...plan.state, isEven: true } : plan.state;
  const proposal = showProposal(agent, planNamed(agent, id, state) ?? plan);
  const verdict = requested ? reported('partial', 'The shares were made even.') : reported('applied');
  return state === plan.state ? { verdict, proposal } : { verdict, proposal, state };
}
