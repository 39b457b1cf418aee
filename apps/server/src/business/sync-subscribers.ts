import type { SubscriberSet } from '@switchyard/events';
import {
  projectSubscriber,
  syncAccounts as task,
  taskError,
  type Subscriber,
  type SyncAccountsRequest,
  type SyncedAccount,
  type TaskError,
} from '@switchyard/protocol';
import type { planAccounts } from '@switchyard/tenancy';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { oncePerKey } from '../platform/tasks/operation/once-per-key.js';
import { provedAtMost, subscribe } from '../platform/tasks/operation/subscriptions.js';

type Call = HandledCall<SyncAccountsRequest>;

/** Replaces those who are told of changes of this agent (docs/protocol/webhooks-out.md#subscribers). */
export async function subscribeToAgent(
  deps: HandlerDeps,
  handled: Call,
  wanted: readonly Subscriber[],
): Promise<Handled> {
  const { subscriptions } = deps;
  if (subscriptions === undefined) return { kind: 'failed', errors: [nobodyIsTold] };
  const { request } = handled;
  const who = callerOf(handled);
  const run = async (operationId?: string): Promise<Handled> => {
    const all = await subscriptions.store.of(who.scope, who.principalId);
    const known = all.filter(({ channel }) => channel === 'agent');
    const of = { ...who, known, wanted, place: '', ...(operationId === undefined ? {} : { operationId }) };
    const found = await subscribe({ ...deps, subscriptions }, of);
    if (!found.ok) return { kind: 'failed', errors: found.error };
    const { action, subscribers, set } = found.value;
    if (operationId !== undefined && action === 'updated')
      await subscriptions.store.replace(who.scope, who.principalId, [set], deps.ports.clock.now());
    const payload = {
      action: action === 'updated' && wanted.length === 0 ? 'cleared' : action,
      notification_configs: subscribers.map(projectSubscriber),
      ...(request.dryRun ? { dry_run: true } : {}),
    };
    return { kind: 'done', status: 'completed', payload };
  };
  return request.dryRun ? run() : oncePerKey(deps, handled, { subscribers: wanted.length }, run);
}

/**
 * The rows of a declaration with those who are told of each account. A row whose subscribers are refused fails, and its
 * account and subscribers stay as they were. Without an operation nobody is called: a dry run.
 */
export async function withSubscribers(
  deps: HandlerDeps,
  handled: Call,
  plan: ReturnType<typeof planAccounts>,
  operationId?: string,
): Promise<{ readonly rows: readonly SyncedAccount[]; readonly sets: readonly SubscriberSet[] }> {
  const { subscriptions } = deps;
  const { accounts } = handled.request;
  if (!accounts.some(({ subscribers }) => subscribers !== undefined)) return { rows: plan.rows, sets: [] };
  const who = callerOf(handled);
  const all = (await subscriptions?.store.of(who.scope, who.principalId)) ?? [];
  const sets: SubscriberSet[] = [];
  let places = provedAtMost;
  const rows: SyncedAccount[] = [];
  for (const [at, row] of plan.rows.entries()) {
    const wanted = accounts[at]?.subscribers;
    const { accountId } = row;
    if (wanted === undefined || accountId === undefined || row.action === 'failed') {
      rows.push(row);
      continue;
    }
    const place = `accounts[${at}].`;
    places -= wanted.length;
    if (subscriptions === undefined || places < 0) {
      rows.push(failed(row, [subscriptions === undefined ? nobodyIsTold : tooMany(place)]));
      continue;
    }
    const known = all.filter((registration) => registration.accountId === accountId);
    const of = { ...who, accountId, known, wanted, place };
    const found = await subscribe(
      { ...deps, subscriptions },
      { ...of, ...(operationId === undefined ? {} : { operationId }) },
    );
    if (!found.ok) {
      rows.push(failed(row, found.error));
      continue;
    }
    const { action, subscribers, set } = found.value;
    if (action === 'updated') sets.push(set);
    const isChanged = row.action === 'unchanged' && action === 'updated';
    rows.push({ ...row, subscribers, ...(isChanged ? { action: 'updated' as const } : {}) });
  }
  return { rows, sets };
}

/** A set of an account that another request has opened under another id. */
export function ofAccount(set: SubscriberSet, accountId: string | undefined): SubscriberSet {
  if (accountId === undefined || accountId === set.accountId) return set;
  return { ...set, accountId, added: set.added.map((registration) => ({ ...registration, accountId })) };
}

function callerOf({ scope, principal, version }: Call) {
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  return { scope, principalId: principal.principalId, profile: version.profile };
}

function failed(row: SyncedAccount, errors: readonly TaskError[]): SyncedAccount {
  const status = row.action === 'created' ? ('rejected' as const) : row.status;
  return { ...row, action: 'failed', status, errors: [...errors] };
}

const nobodyIsTold = taskError('UNSUPPORTED_FEATURE', 'Nobody is told of changes here.');

function tooMany(place: string): TaskError {
  return taskError('INVALID_REQUEST', `At most ${provedAtMost} subscribers can be declared in one request.`, {
    field: `${place}notification_configs`,
    suggestion: 'Declare the subscribers of the other accounts in further requests.',
  });
}
