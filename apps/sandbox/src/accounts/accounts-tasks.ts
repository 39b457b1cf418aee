import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import { isObject, listOf, objectOf, sortedText, textOf, textsOf, type JsonObject } from '../json.js';
import { done, refusal, refusalBody, refuse, type Outcome, type Refusal } from '../agent/outcome.js';
import { isLoopback } from '../webhooks/read-webhooks.js';
import { accountNamed, showAccount, type SellerAccount, type Subscriber } from './seller-account.js';

/** The buyer's accounts here. */
export function listAccounts(agent: Agent, args: JsonObject): Outcome {
  const named = objectOf(args['account']);
  const all = [...agent.books.accounts.values()];
  const meant = named === undefined ? all : [accountNamed(all, named) ?? []].flat();
  return done({ accounts: meant.map(showAccount) });
}

/** Declares accounts by brand and operator, and replaces the subscribers of those that name any. */
export function syncAccounts(agent: Agent, args: JsonObject): Outcome {
  const rows = listOf(args['accounts']);
  if (rows === undefined || rows.length === 0)
    return refuse('INVALID_REQUEST', 'accounts is required', 'accounts');
  if (textOf(args['idempotency_key']) === undefined)
    return refuse('INVALID_REQUEST', 'idempotency_key is required', 'idempotency_key');
  const synced = rows.map((row, at) => syncOne(agent, isObject(row) ? row : {}, `accounts[${String(at)}]`));
  const isTrial = args['dry_run'] === true;
  const accounts = synced.flatMap(({ account }) => account ?? []);
  return done(
    { accounts: synced.map(({ row }) => row), ...(isTrial ? { dry_run: true } : {}) },
    isTrial || accounts.length === 0 ? undefined : { accounts },
  );
}

interface Synced {
  readonly row: JsonObject;
  readonly account?: SellerAccount;
}

function syncOne(agent: Agent, row: JsonObject, at: string): Synced {
  const reference = objectOf(row['account']) ?? row;
  const known = accountNamed(agent.books.accounts.values(), reference);
  const brand = known?.brand ?? objectOf(row['brand']);
  const operator = known?.operator ?? textOf(row['operator']);
  const read = readSubscribers(row['notification_configs'], `${at}.notification_configs`, known);
  const fault =
    brand === undefined || operator === undefined
      ? refusal('ACCOUNT_NOT_FOUND', 'there is no such account', at)
      : 'fault' in read
        ? read.fault
        : undefined;
  if (fault !== undefined || 'fault' in read) {
    const pair = { brand: brand ?? { domain: 'unknown.example' }, operator: operator ?? '' };
    const status = known === undefined ? 'rejected' : 'active';
    return {
      row: { ...pair, action: 'failed', status, errors: fault === undefined ? [] : [refusalBody(fault)] },
    };
  }
  const account: SellerAccount = {
    accountId: known?.accountId ?? `acct_${randomUUID().slice(0, 13)}`,
    brand: brand ?? {},
    operator: operator ?? '',
    billing: textOf(row['billing']) ?? known?.billing ?? 'operator',
    sandbox: known?.sandbox ?? row['sandbox'] === true,
    subscribers: read.subscribers,
  };
  const isSame = known !== undefined && sortedText(showAccount(known)) === sortedText(showAccount(account));
  const action = known === undefined ? 'created' : isSame ? 'unchanged' : 'updated';
  return { row: { ...showAccount(account), action }, account };
}

/** The events that this seller tells of. */
const told = ['creative.status_changed', 'creative.purged'];

/** The whole set of subscribers; without the member, those that stand. */
function readSubscribers(
  value: JsonObject[string] | undefined,
  at: string,
  known: SellerAccount | undefined,
): { readonly subscribers: readonly Subscriber[] } | { readonly fault: Refusal } {
  if (value === undefined) return { subscribers: known?.subscribers ?? [] };
  const subscribers: Subscriber[] = [];
  for (const [index, config] of (listOf(value) ?? []).entries()) {
    const place = `${at}[${String(index)}]`;
    const [id, url] = isObject(config) ? [textOf(config['subscriber_id']), textOf(config['url'])] : [];
    const types = (isObject(config) ? textsOf(config['event_types']) : undefined) ?? [];
    if (!isObject(config) || id === undefined || subscribers.some((other) => other.subscriberId === id))
      return {
        fault: refusal('INVALID_REQUEST', 'each subscriber has an id of its own', `${place}.subscriber_id`),
      };
    if (url === undefined || !isLoopback(url))
      return { fault: refusal('INVALID_REQUEST', 'not an address on this machine', `${place}.url`) };
    const strange = types.findIndex((type) => !told.includes(type));
    if (types.length === 0 || strange >= 0)
      return {
        fault: refusal(
          'INVALID_REQUEST',
          'no such event of an account is told',
          `${place}.event_types[${String(Math.max(strange, 0))}]`,
          `Use ${told.join(' or ')}.`,
        ),
      };
    if (config['authentication'] !== undefined)
      return {
        fault: refusal('INVALID_REQUEST', 'only signed webhooks are sent here', `${place}.authentication`),
      };
    const before = known?.subscribers.find((other) => other.subscriberId === id);
    const isProved =
      before?.proved === true &&
      before.url === url &&
      sortedText([...before.eventTypes]) === sortedText([...types]);
    subscribers.push({
      subscriberId: id,
      url,
      eventTypes: types,
      active: config['active'] !== false,
      proved: isProved,
    });
  }
  return { subscribers };
}

/** Asks each new address to prove that it listens, by a signed challenge that it sends back. Resumable: the books say who has. */
export function proveSubscribers(agent: Agent, { accountId }: SellerAccount): void {
  const waiting = agent.books.accounts
    .get(accountId)
    ?.subscribers.filter(({ active, proved }) => active && !proved);
  for (const subscriber of waiting ?? [])
    void agent.agenda.run(async () => {
      const challenge = randomUUID().replaceAll('-', '');
      const echoed = await agent.outbox.ask(subscriber.url, {
        type: 'webhook.challenge',
        challenge,
        account_id: accountId,
        subscriber_id: subscriber.subscriberId,
        seller_agent_url: agent.agentUrl,
        delivery_auth: { mode: 'rfc9421' },
        event_types: [...subscriber.eventTypes],
      });
      const account = agent.books.accounts.get(accountId);
      if (echoed !== challenge || account?.subscribers.includes(subscriber) !== true) return;
      const subscribers = account.subscribers.map((other) =>
        other === subscriber ? { ...other, proved: true } : other,
      );
      agent.books.write({ accounts: [{ ...account, subscribers }] });
    });
}
