import {
  createMediaBuy,
  getMediaBuys,
  getProducts,
  getTask,
  listAccounts,
  profileOf,
  projectExtras,
  syncAccounts,
  updateMediaBuy,
  type AccountRef,
  type SellerReply,
} from '@switchyard/protocol';
import { defined, isJsonObject, isoOf, type JsonObject } from '@switchyard/values';
import { cut } from '../keys/discovery-failure.js';
import { objectsIn } from '../keys/read-adagents.js';
import { activeAccounts, ask, offers } from './call-task.js';
import type { CheckResult, Finding } from './check.js';
import type { GateContext } from './gate-context.js';
import { testBrief } from './read-seller.js';

const day = 24 * 3_600_000;
/** Spent where no minimum is stated, in the currency of the price. */
const usualBudget = 10;
/** A minimum above that is not bought, even where it costs nothing. */
const mostBudget = 100_000;

interface Sandbox {
  readonly account: AccountRef;
  /** The seller's own word for it. */
  readonly confirmedBy: 'list_accounts' | 'sync_accounts' | undefined;
}

/**
 * Buys in a sandbox account, where the seller offers one: the smallest purchase, the same key once more, a reading, and the
 * cancellation. Without the seller's word that the account is a sandbox nothing is bought.
 */
export async function checkBuy(context: GateContext): Promise<CheckResult> {
  const { kinds, form } = context.connection();
  if (!kinds.includes('sales') || !offers(context, createMediaBuy))
    return skipped('read_only', 'It takes no purchases: it is only read.');
  if (form !== '3.1' && form !== '3.0')
    return skipped(
      'no_sandbox_account',
      'Its release has no sandbox accounts, and a purchase without one costs money.',
    );
  const sandbox = await sandboxOf(context);
  if (sandbox === undefined)
    return skipped(
      'no_sandbox_account',
      'It has no sandbox account here, and a purchase without one would cost money.',
    );
  const offered = await ask(context, getProducts, {
    ...argsOf(context, sandbox, 'read'),
    brief: testBrief,
    buying_mode: 'brief',
  });
  if (!offered.ok) return limited(context, 'sandbox_refused', getProducts.name, offered.error.words);
  if (sandbox.confirmedBy === undefined && offered.value.payload['sandbox'] !== true)
    return limited(
      context,
      'sandbox_unconfirmed',
      getProducts.name,
      'an answer that does not confirm the sandbox: nothing was bought',
      'Answer with "sandbox": true where the account is one.',
    );
  const choice = cheapest(offered.value.payload);
  if (choice === undefined)
    return limited(
      context,
      'nothing_to_buy',
      getProducts.name,
      'no product with a fixed price in the sandbox account',
      'Offer one there.',
    );
  return buy(context, sandbox, choice);
}

interface Choice {
  readonly productId: string;
  readonly pricingOptionId: string;
  readonly budget: number;
}

/** The product with the smallest purchase, of those with a fixed price. */
function cheapest(payload: JsonObject): Choice | undefined {
  const choices = objectsIn(payload['products'])
    .slice(0, 200)
    .flatMap(({ product_id: productId, pricing_options: options }) =>
      objectsIn(options).flatMap((option): Choice[] => {
        const { pricing_option_id: pricingOptionId, fixed_price: price } = option;
        const { min_spend_per_package: least = usualBudget } = option;
        return typeof productId === 'string' &&
          typeof pricingOptionId === 'string' &&
          typeof price === 'number' &&
          typeof least === 'number' &&
          least <= mostBudget
          ? [{ productId, pricingOptionId, budget: Math.max(least, 1) }]
          : [];
      }),
    );
  return choices.toSorted((one, other) => one.budget - other.budget)[0];
}

async function buy(context: GateContext, sandbox: Sandbox, choice: Choice): Promise<CheckResult> {
  const idempotencyKey = context.newId();
  const request: JsonObject = {
    ...argsOf(context, sandbox, 'mutation', idempotencyKey),
    brand: { domain: await context.ownDomain() },
    start_time: isoOf(context.now() + 7 * day),
    end_time: isoOf(context.now() + 14 * day),
    packages: [
      { product_id: choice.productId, pricing_option_id: choice.pricingOptionId, budget: choice.budget },
    ],
  };
  const made = await ask(context, createMediaBuy, request);
  if (!made.ok) return limited(context, 'sandbox_refused', createMediaBuy.name, made.error.words);
  const { status } = made.value;
  const isLater = status === 'submitted' || status === 'working';
  const payload = isLater ? await decided(context, sandbox, made.value) : made.value.payload;
  const id = payload?.['media_buy_id'];
  if (payload === undefined || typeof id !== 'string')
    return isLater
      ? undecided(context)
      : limited(context, 'sandbox_refused', createMediaBuy.name, 'an answer without a media_buy_id');
  const again = await repeated(context, sandbox, request, id);
  const unread = await readBack(context, sandbox, id);
  const uncanceled = await canceled(context, sandbox, { id, revision: payload['revision'] });
  const findings = [again, unread, uncanceled].flatMap((one) => (one === undefined ? [] : [one]));
  const evidence = {
    media_buy_id: cut(id),
    product_id: cut(choice.productId),
    canceled: uncanceled === undefined,
  };
  if (payload['sandbox'] === false)
    return {
      state: 'failed',
      code: 'sandbox_unconfirmed',
      words: `It booked ${cut(id)} as no sandbox purchase${uncanceled === undefined ? ', and canceled it again' : ''}.`,
      next: uncanceled === undefined ? 'Ask the seller.' : `Have the seller cancel ${cut(id)} now.`,
      evidence,
      findings: [
        finding(
          context,
          'blocks',
          createMediaBuy.name,
          '"sandbox": false for a sandbox account',
          'Book it as one.',
        ),
        ...findings,
      ],
    };
  if (again?.grade === 'blocks')
    return {
      state: 'failed',
      code: 'books_twice',
      words:
        'It booked the same purchase twice under one idempotency key: a repeated request would cost double.',
      next: 'Send the report to the seller: switchyard sellers report SLUG',
      evidence,
      findings,
    };
  return {
    state: 'passed',
    code: 'bought',
    words:
      uncanceled === undefined
        ? `It sold ${cut(id)} in the sandbox, once, and canceled it.`
        : `It sold ${cut(id)} in the sandbox, and did not cancel it.`,
    evidence,
    findings,
  };
}

/** How often a decision is looked for, and the pause before each look, in milliseconds. */
const looks = 8;
const lookMs = 2_000;

/** A purchase on which the seller decides later, once it has; undefined if it takes longer than we look, or refuses it. */
async function decided(
  context: GateContext,
  sandbox: Sandbox,
  { taskId }: Pick<SellerReply, 'taskId'>,
): Promise<JsonObject | undefined> {
  if (taskId === undefined || !offers(context, getTask)) return undefined;
  for (let look = 0; look < looks; look += 1) {
    await context.pause(lookMs);
    const args = { ...argsOf(context, sandbox, 'read'), task_id: taskId, include_result: true };
    const read = await ask(context, getTask, args);
    if (!read.ok) return undefined;
    const { payload } = read.value;
    const result = isJsonObject(payload['result']) ? payload['result'] : payload;
    if (typeof result['media_buy_id'] === 'string') return result;
  }
  return undefined;
}

/** A purchase whose decision we did not see cannot be canceled: the seller is told in the report. */
const undecided = (context: GateContext): CheckResult => ({
  state: 'passed',
  code: 'answers_later',
  words: 'It takes a purchase in the sandbox, and had not decided on it yet: have it cancel that.',
  findings: [
    finding(
      context,
      'limits',
      createMediaBuy.name,
      'no decision on a purchase in the sandbox within a quarter of a minute',
      'Decide on purchases in the sandbox at once, and cancel this one.',
    ),
  ],
});

/** The same request with the same key must answer with the same purchase; another one that it made is canceled too. */
async function repeated(
  context: GateContext,
  sandbox: Sandbox,
  request: JsonObject,
  id: string,
): Promise<Finding | undefined> {
  const declared = context.connection().capabilities?.original['adcp'];
  const idempotency = isJsonObject(declared) ? declared['idempotency'] : undefined;
  if (isJsonObject(idempotency) && idempotency['supported'] === false) return undefined;
  const again = await ask(context, createMediaBuy, request);
  const other = again.ok ? again.value.payload['media_buy_id'] : undefined;
  if (other === id) return undefined;
  if (typeof other === 'string')
    await canceled(context, sandbox, {
      id: other,
      revision: again.ok ? again.value.payload['revision'] : undefined,
    });
  return finding(
    context,
    typeof other === 'string' ? 'blocks' : 'limits',
    createMediaBuy.name,
    again.ok ? 'another media_buy_id for the same idempotency_key' : again.error.words,
    'Answer a repeated key with the first answer.',
  );
}

async function readBack(context: GateContext, sandbox: Sandbox, id: string): Promise<Finding | undefined> {
  if (!offers(context, getMediaBuys)) return undefined;
  const read = await ask(context, getMediaBuys, {
    ...argsOf(context, sandbox, 'read'),
    media_buy_ids: [id],
  });
  const isThere =
    read.ok && objectsIn(read.value.payload['media_buys']).some(({ media_buy_id: one }) => one === id);
  return isThere
    ? undefined
    : finding(
        context,
        'limits',
        getMediaBuys.name,
        read.ok ? 'an answer without the purchase that was just made' : read.error.words,
        'List it from the moment of its id.',
      );
}

async function canceled(
  context: GateContext,
  sandbox: Sandbox,
  { id, revision }: { readonly id: string; readonly revision: unknown },
): Promise<Finding | undefined> {
  const done = await ask(context, updateMediaBuy, {
    ...argsOf(context, sandbox, 'mutation', context.newId()),
    media_buy_id: id,
    canceled: true,
    ...(typeof revision === 'number' ? { revision } : {}),
  });
  return done.ok
    ? undefined
    : finding(
        context,
        'limits',
        updateMediaBuy.name,
        done.error.words,
        'Cancel a purchase that has not begun.',
      );
}

/** A sandbox account that the seller lists, else the pair of our domain where it takes declared ones. */
async function sandboxOf(context: GateContext): Promise<Sandbox | undefined> {
  const listed = offers(context, listAccounts) ? await activeAccounts(context) : [];
  const accountId = listed.find((row) => row['sandbox'] === true)?.['account_id'];
  if (typeof accountId === 'string') return { account: { accountId }, confirmedBy: 'list_accounts' };
  const declared = context.connection().capabilities?.original['account'];
  if (!isJsonObject(declared) || declared['sandbox'] !== true || declared['require_operator_auth'] === true)
    return undefined;
  const domain = await context.ownDomain();
  const account: AccountRef = { brand: { domain }, operator: domain, sandbox: true };
  if (!offers(context, syncAccounts)) return { account, confirmedBy: undefined };
  const billing = declared['supported_billing'];
  const synced = await ask(context, syncAccounts, {
    ...projectExtras({ idempotencyKey: context.newId() }, profileOf(context.connection()), 'mutation'),
    accounts: [
      {
        brand: { domain },
        operator: domain,
        sandbox: true,
        ...defined({ billing: Array.isArray(billing) ? billing[0] : undefined }),
      },
    ],
  });
  const [row] = synced.ok ? objectsIn(synced.value.payload['accounts']) : [];
  if (row === undefined || row['action'] === 'failed' || (row['status'] ?? 'active') !== 'active')
    return undefined;
  return { account, confirmedBy: row['sandbox'] === true ? 'sync_accounts' : undefined };
}

function argsOf(
  context: GateContext,
  { account }: Sandbox,
  kind: 'read' | 'mutation',
  idempotencyKey?: string,
): JsonObject {
  return projectExtras({ account, ...defined({ idempotencyKey }) }, profileOf(context.connection()), kind);
}

const skipped = (code: string, words: string): CheckResult => ({ state: 'skipped', code, words });

function limited(
  context: GateContext,
  code: string,
  task: string,
  came: string,
  mend = 'Let a purchase in the sandbox account end as a real one would.',
): CheckResult {
  return {
    ...skipped(code, `Its sandbox account sold nothing: ${came}.`),
    findings: [finding(context, 'limits', task, came, mend)],
  };
}

function finding(
  context: GateContext,
  grade: Finding['grade'],
  task: string,
  came: string,
  mend: string,
): Finding {
  return {
    grade,
    task,
    release: context.connection().form,
    sent: 'the smallest purchase, in a sandbox account',
    came,
    allowed: 'One purchase for one idempotency_key, which can be read and canceled.',
    cost:
      grade === 'blocks'
        ? 'A repeated request would be paid twice.'
        : 'The first real purchase is the first proof.',
    mend,
  };
}
