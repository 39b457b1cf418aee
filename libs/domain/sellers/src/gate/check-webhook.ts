import { listAccounts, profileOf, projectExtras, syncAccounts } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { cut } from '../keys/discovery-failure.js';
import { objectsIn } from '../keys/read-adagents.js';
import { activeAccounts, ask, offers } from './call-task.js';
import type { CheckResult, Finding } from './check.js';
import type { GateContext } from './gate-context.js';

/** The subscription that exists for the time of the check alone. */
const subscriberId = 'switchyard-check';
const eventTypes = ['creative.status_changed'];
/** The most subscriptions of an account that the protocol allows. */
const mostSubscribers = 16;
/** How long a challenge is waited for after the seller's answer, and between two looks, in milliseconds. */
const patienceMs = 10_000;
const lookMs = 250;

const unproved = 'its first webhook will prove that it can send them';

/**
 * Has the seller send us something that it signs: an account-level subscription, for which it must challenge the address
 * before it is active. The subscriptions that were there stay, and ours is taken away again.
 */
export async function checkWebhook(context: GateContext): Promise<CheckResult> {
  const objection = context.webhookObjection();
  if (objection !== undefined)
    return {
      state: 'failed',
      code: 'webhooks_unproved',
      words: objection,
      next: 'Add it again with --legacy-webhooks, or ask the seller.',
    };
  if (context.decides !== undefined)
    return { state: 'skipped', code: 'unproved', words: 'Its first event will prove that it can send them.' };
  const { form, legacyWebhooks } = context.connection();
  if (form !== '3.1' || legacyWebhooks !== false)
    return skipped(`Its release has no challenge of a webhook address; ${unproved}.`);
  if (!offers(context, listAccounts) || !offers(context, syncAccounts))
    return skipped(`It takes no subscriptions of an account; ${unproved}.`);
  const row = await accountFor(context);
  if (row === undefined) return skipped(`It lists no account of ours that is alone or named; ${unproved}.`);
  const before = objectsIn(row['notification_configs']);
  // A secret of another subscription is not shown, and would be lost with the whole list.
  if (before.some(({ authentication }) => authentication !== undefined) || before.length >= mostSubscribers)
    return skipped(`The subscriptions of our account there cannot be kept as they are; ${unproved}.`);
  return challenged(context, textOf(row['account_id']), before);
}

async function challenged(
  context: GateContext,
  accountId: string,
  before: readonly JsonObject[],
): Promise<CheckResult> {
  const { agentUrl } = context.connection();
  const kept = before.filter(({ subscriber_id: id }) => id !== subscriberId);
  const url = await context.challenges.address();
  await context.challenges.expect({ accountId, subscriberId, agentUrl, eventTypes });
  const wanted: JsonObject = { subscriber_id: subscriberId, url, event_types: eventTypes, active: true };
  const asked = await subscribe(context, accountId, [...kept, wanted]);
  if (asked.kind === 'refused')
    return {
      ...skipped(`It takes no subscription for our address: ${asked.words}. Its buys are polled.`),
      findings: [finding(context, 'limits', asked.words, 'Take the address, or say why it is refused.')],
    };
  const keyid = await answered(context);
  const undone = await subscribe(context, accountId, kept);
  const leftover =
    undone.kind === 'taken'
      ? []
      : [
          finding(
            context,
            'limits',
            'a refusal of the list without our subscription',
            'Take a list that is shorter than the one before.',
          ),
        ];
  if (keyid === undefined)
    return {
      ...skipped(`It sent no signed challenge to our address within ten seconds; ${unproved}.`),
      findings: [
        finding(
          context,
          'limits',
          asked.isActive
            ? 'an active subscription, and no challenge that verifies'
            : 'no challenge that verifies',
          'Sign a webhook.challenge with the key that you publish, and wait for its echo.',
        ),
        ...leftover,
      ],
    };
  const silent = asked.isActive
    ? []
    : [
        finding(
          context,
          'cosmetic',
          'an answer that does not show the subscription as active',
          'Show what is active in notification_configs.',
        ),
      ];
  return {
    state: 'passed',
    code: 'proved',
    words: `It sent a challenge to our address, and its signature holds (key ${cut(keyid)}).`,
    evidence: { keyid: cut(keyid), subscriber_id: subscriberId },
    findings: [...silent, ...leftover],
  };
}

/** The account that is named for this seller, else its only active one. */
async function accountFor(context: GateContext): Promise<JsonObject | undefined> {
  const active = await activeAccounts(context);
  const { account } = context.connection();
  const named = account !== undefined && 'accountId' in account ? account.accountId : undefined;
  if (named !== undefined) return active.find(({ account_id: id }) => id === named);
  const sandbox = active.filter((row) => row['sandbox'] === true);
  return sandbox[0] ?? (active.length === 1 ? active[0] : undefined);
}

type Subscribed =
  | { readonly kind: 'taken'; readonly isActive: boolean }
  | { readonly kind: 'refused'; readonly words: string };

/** Replaces the subscriptions of an account by this list. */
async function subscribe(
  context: GateContext,
  accountId: string,
  configs: readonly JsonObject[],
): Promise<Subscribed> {
  const answer = await ask(context, syncAccounts, {
    ...projectExtras({ idempotencyKey: context.newId() }, profileOf(context.connection()), 'mutation'),
    accounts: [{ account: { account_id: accountId }, notification_configs: [...configs] }],
  });
  if (!answer.ok) return { kind: 'refused', words: answer.error.words };
  const [row] = objectsIn(answer.value.payload['accounts']);
  if (row?.['action'] === 'failed') {
    const [first] = objectsIn(row['errors']);
    const { code, message } = first ?? {};
    return { kind: 'refused', words: cut(`${textOf(code)}: ${textOf(message)}`) };
  }
  const isActive = objectsIn(row?.['notification_configs']).some(
    (config) => config['subscriber_id'] === subscriberId && config['active'] !== false,
  );
  return { kind: 'taken', isActive };
}

async function answered(context: GateContext): Promise<string | undefined> {
  const until = context.now() + patienceMs;
  for (;;) {
    const keyid = await context.challenges.answeredBy();
    if (keyid !== undefined || context.now() >= until) return keyid;
    await context.pause(lookMs);
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const skipped = (words: string): CheckResult => ({ state: 'skipped', code: 'unproved', words });

function finding(context: GateContext, grade: Finding['grade'], came: string, mend: string): Finding {
  return {
    grade,
    task: 'sync_accounts',
    release: context.connection().form,
    sent: 'a subscription of our account for changes of creatives',
    came,
    allowed: 'A signed webhook.challenge to the address, then the subscription as active.',
    cost: 'We learn of changes from polling alone.',
    mend,
  };
}
