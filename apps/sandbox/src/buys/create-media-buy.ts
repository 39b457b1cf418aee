import { randomUUID } from 'node:crypto';
import { type CallToAnswer, pushesOf, submittedTask } from '../agent/submitted-task.js';
import type { Agent } from '../agent/agent.js';
import { accountFault } from '../accounts/given-accounts.js';
import { queryOnce, waitingTask, withAnswer } from '../agent/query-once.js';
import type { Buy, BuyPackage } from './buy.js';
import { objectOf, textOf, type Json, type JsonObject, isObject, listOf } from '../json.js';
import { done, refusal, type Outcome, type Refusal } from '../agent/outcome.js';
import { forcedRefusal, takeForcedArm } from '../test-controller/force-arm.js';
import type { ForcedSubmitted } from '../test-controller/forced-arm.js';
import { readFlight, type Flight } from './read-flight.js';
import { readPackage } from './read-package.js';
import { readPush, readReporting } from '../webhooks/read-webhooks.js';
import type { SellerTask } from '../agent/seller-task.js';
import { showCreatedBuy } from './show-buy.js';
import type { NativeCall } from '../agent/tool.js';
import { amountOf, microsOf } from '../micros.js';
import { insertionOrderId, isCommitted, isLapsed, planNamed, type Plan } from './propose.js';

type Failed = { readonly errors: readonly Refusal[] };

type Wanted = { readonly packages: readonly Json[] } | { readonly errors: readonly Refusal[] };

const refused = (...refusal_: Parameters<typeof refusal>): Wanted => ({ errors: [refusal(...refusal_)] });

/** Makes a buy: at once, after a person's approval, or as pending until then. */
export function createMediaBuy(agent: Agent, given: JsonObject, native?: NativeCall): Outcome {
  const waiting = waitingTask(agent, given, native);
  const args = withAnswer(waiting, given);
  const envelope = checkEnvelope(agent, args);
  if (envelope.length > 0) return { status: 'failed', errors: envelope };
  const account = accountFault(agent, args);
  if (account.length > 0) return { status: 'failed', errors: account };
  const flight = readFlight(agent.personality, args, agent.now());
  if ('errors' in flight) return { status: 'failed', ...flight };
  const wanted = packagesWanted(agent, args);
  if ('errors' in wanted) return { status: 'failed', ...wanted };
  const packages = readPackages(agent, wanted.packages);
  if ('errors' in packages) return { status: 'failed', ...packages };
  const reporting = readReporting(agent.personality.form, args['reporting_webhook']);
  if (reporting && 'errors' in reporting) return { status: 'failed', ...reporting };
  const push = readPush(agent.personality.form, args['push_notification_config']);
  if (push && 'errors' in push) return { status: 'failed', ...push };

  const buy = newBuy(agent, args, { flight, packages: packages.read, reporting });
  const pushes = pushesOf(push, native?.push);
  const call = { agent, args, pushes, native };
  const question = queryOnce(agent, args, buy, { waiting, native, pushes });
  if (question !== undefined) return question;
  const forced = takeForcedArm(agent);
  if (forced?.arm === 'input-required') return { status: 'failed', errors: [forcedRefusal(forced)] };
  if (forced !== undefined) return takenIn(call, buy, forced);
  switch (agent.personality.approval) {
    case 'at-once':
      return sold(agent, buy, waiting);
    case 'human':
      return takenIn(call, buy);
    case 'pending': {
      const task = approvalTask(call, buy);
      const body = { ...showCreatedBuy(agent, buy), status: 'pending', task_id: task.taskId };
      return { status: 'submitted', body, entry: { buy, task } };
    }
  }
}

/** The packages of a request: its own, or those of the named proposal, which divides the total budget. */
function packagesWanted(agent: Agent, args: JsonObject): Wanted {
  const id = textOf(args['proposal_id']);
  const listed = listOf(args['packages']) ?? [];
  if (id === undefined) return { packages: listed };
  const { proposes } = agent.personality;
  if (proposes === 'none' || proposes === 'parts')
    return refused('UNSUPPORTED_FEATURE', 'no proposal is bought by name here', 'proposal_id');
  const plan = planNamed(agent, id);
  if (plan === undefined) return refused('PROPOSAL_NOT_FOUND', 'there is no such proposal', 'proposal_id');
  if (isLapsed(agent, plan)) return refused('PROPOSAL_EXPIRED', 'the hold has lapsed', 'proposal_id');
  if (!isCommitted(agent, plan)) return refused('PROPOSAL_NOT_COMMITTED', 'finalize it first', 'proposal_id');
  const accepted = textOf(objectOf(args['io_acceptance'])?.['io_id']);
  if (proposes === 'committed' && accepted !== insertionOrderId(plan))
    return refused('IO_REQUIRED', 'its insertion order is not accepted', 'io_acceptance');
  return shared(agent, plan, args, listed);
}

function shared(agent: Agent, plan: Plan, args: JsonObject, listed: readonly Json[]): Wanted {
  const total = objectOf(args['total_budget']);
  const amount = microsOf(total?.['amount']);
  if (amount === undefined || amount === 0n)
    return refused('INVALID_REQUEST', 'a proposal is bought for a total', 'total_budget.amount');
  if (total?.['currency'] !== agent.personality.currency)
    return refused('INVALID_REQUEST', `sold in ${agent.personality.currency}`, 'total_budget.currency');
  const overrides = listed.filter(isObject);
  const strange = overrides.findIndex(
    (override) => !plan.parts.some(({ product }) => product.productId === override['product_id']),
  );
  if (strange >= 0) {
    const field = `packages[${String(strange)}].product_id`;
    return refused('INVALID_REQUEST', 'the proposal has no such product', field);
  }
  const budgets = shares(amount, plan);
  return {
    packages: plan.parts.map(({ product }, at): Json => {
      const own = overrides.find((override) => override['product_id'] === product.productId);
      const [option] = product.pricing;
      const derived = {
        product_id: product.productId,
        pricing_option_id: option?.id ?? '',
        budget: amountOf(budgets[at] ?? 0n),
      };
      return own === undefined ? derived : { ...derived, ...own };
    }),
  };
}

/** In whole cents; the last part gets the rest. */
function shares(amount: bigint, { parts }: Plan): readonly bigint[] {
  const cent = 10_000n;
  const rounded = parts.map(
    ({ percentage }) => ((amount * BigInt(Math.round(percentage * 1000))) / 100_000n / cent) * cent,
  );
  const given = rounded.slice(0, -1).reduce((sum, figure) => sum + figure, 0n);
  return [...rounded.slice(0, -1), amount - given];
}

/** A buy that a person must review, under the task id that the test controller gave, or a new one. */
function takenIn(call: CallToAnswer, requested: Buy, forced?: ForcedSubmitted): Outcome {
  const { clockFrom: _notYet, ...buy } = requested;
  const waits: Buy = { ...buy, status: 'pending', stepsDone: 0 };
  const task = { ...approvalTask(call, waits), ...forcedTask(call.agent, forced) };
  const message = forced?.message ?? 'A person at the seller will look at it.';
  const body = { status: 'submitted', task_id: task.taskId, message };
  return { status: 'submitted', body, entry: { task } };
}

/** A task named by the test controller reports only its end, so that a run has one webhook to count. */
function forcedTask(agent: Agent, forced: ForcedSubmitted | undefined): Partial<SellerTask> {
  if (forced === undefined) return {};
  return { taskId: forced.taskId, steps: [{ afterMs: 3000 * agent.scale, state: 'completed' }] };
}

/** A buy that is made now, with the task that had waited for an answer. */
function sold(agent: Agent, buy: Buy, waiting: SellerTask | undefined): Outcome {
  const body = showCreatedBuy(agent, buy);
  if (waiting === undefined) return done(body, { buy });
  const { question: _answered, ...task } = waiting;
  const now = agent.now();
  const state = { state: 'completed' as const, message: 'Approved.', updatedAt: now, completedAt: now };
  return done(body, { buy, task: { ...task, ...state, buy, result: body } });
}

function checkEnvelope(agent: Agent, args: JsonObject): Refusal[] {
  const missing = (field: string): Refusal => refusal('INVALID_REQUEST', `${field} is required`, field);
  if (agent.personality.form === 'service') {
    if (textOf(args['buyer_ref']) === undefined) return [missing('buyer_ref')];
    const brand = args['brand'] ?? args['brand_manifest'];
    return brand === undefined ? [missing('brand_manifest')] : [];
  }
  if (objectOf(args['account']) === undefined) return [missing('account')];
  if (textOf(objectOf(args['brand'])?.['domain']) === undefined) return [missing('brand.domain')];
  if (!/^[A-Za-z0-9_.:-]{16,255}$/.test(textOf(args['idempotency_key']) ?? ''))
    return [missing('idempotency_key')];
  return [];
}

function readPackages(
  agent: Agent,
  requested: readonly Json[],
): { readonly read: readonly BuyPackage[] } | Failed {
  if (requested.length === 0) {
    return { errors: [refusal('INVALID_REQUEST', 'a buy needs at least one package', 'packages')] };
  }
  const results = requested.map((value, index) => readPackage(agent, value, index));
  const errors = results.flatMap((result) => ('errors' in result ? result.errors : []));
  if (errors.length > 0) return { errors };
  return { read: results.filter((result): result is BuyPackage => !('errors' in result)) };
}

function newBuy(
  agent: Agent,
  args: JsonObject,
  {
    flight,
    packages,
    reporting,
  }: {
    readonly flight: Flight;
    readonly packages: readonly BuyPackage[];
    readonly reporting: Buy['reporting'];
  },
): Buy {
  const now = agent.now();
  const [buyerRef, poNumber] = [textOf(args['buyer_ref']), textOf(args['po_number'])];
  const [account, context] = [objectOf(args['account']), objectOf(args['context'])];
  return {
    mediaBuyId: `mb_${randomUUID().slice(0, 18)}`,
    ...(buyerRef === undefined ? {} : { buyerRef }),
    currency: agent.personality.currency,
    createdAt: now,
    updatedAt: now,
    revision: 1,
    firstDay: flight.firstDay,
    dayCount: flight.dayCount,
    startTime: flight.startTime,
    endTime: flight.endTime,
    packages,
    ...(account ? { account } : {}),
    ...(context ? { context } : {}),
    ...(reporting ? { reporting } : {}),
    ...(flight.past ? { past: flight.past } : {}),
    ...(poNumber === undefined ? {} : { poNumber }),
    sequence: 0,
    finalSent: false,
    ...firstState(agent, flight, packages, agent.market.now()),
  };
}

/** A future start is one campaign day away: waiting is compressed like running. */
function firstState(
  agent: Agent,
  flight: Flight,
  packages: readonly BuyPackage[],
  now: number,
): Pick<Buy, 'status' | 'clockFrom' | 'stepsDone'> {
  if (agent.personality.approval !== 'at-once') return { status: 'pending', stepsDone: 0 };
  if (packages.some((part) => part.creativeIds.length === 0))
    return { status: 'pending_creatives', stepsDone: 0 };
  if (flight.waits) return { status: 'pending_start', stepsDone: 0, clockFrom: now + agent.dayMs };
  return { status: 'active', stepsDone: 1, clockFrom: now };
}

function approvalTask(call: CallToAnswer, buy: Buy): SellerTask {
  const { agent } = call;
  const human = agent.personality.approval !== 'pending';
  const working = { afterMs: 1000 * agent.scale, state: 'working' as const };
  const completed = { afterMs: 3000 * agent.scale, state: 'completed' as const };
  return submittedTask(call, {
    taskType: 'create_media_buy',
    steps: human ? [working, completed] : [{ ...completed, afterMs: 2000 * agent.scale }],
    buy,
  });
}
