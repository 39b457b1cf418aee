import {
  defined,
  err,
  isJsonObject,
  ok,
  storedDomain,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Account, AccountStatus, RequestedAccount, SyncedAccount } from './account-messages.js';
import type { Finding } from '../../losses/finding.js';
import { projectError } from '../../errors/project-errors.js';
import { readErrors } from '../../errors/read-errors.js';
import type { WireProfile, Form } from '../../versions/wire-profile.js';
import { readExtras } from '../../message/extras.js';
import { booleanAt, member, objectAt, textAt, textsAt, without, objectsAt } from '../../message/pick.js';
import { withPlainBrands } from '../brand/brand.js';
import { projectSubscriber, readSubscribers, subscriberFaults, type Subscriber } from './subscriber.js';

const statuses: ReadonlySet<string> = new Set([
  'active',
  'pending_approval',
  'rejected',
  'payment_required',
  'suspended',
  'closed',
] satisfies AccountStatus[]);

/** Members of a row that would change billing. This platform does not use them. */
const unusedMembers = ['billing_entity', 'preferred_reporting_protocol'];

type Pair = Pick<Account, 'brandDomain' | 'brandId' | 'operator'>;

export function readRequestedAccount(value: JsonObject): RequestedAccount {
  const { account } = readExtras(value);
  const hasSubscribers = member(value, 'notification_configs') !== undefined;
  const notTold = subscriberFaults(value, 'account').find(({ code }) => code === 'UNSUPPORTED_FEATURE');
  return {
    ...readPair(value),
    sandbox: booleanAt(value, 'sandbox') === true,
    unused: unusedMembers.filter((name) => member(value, name) !== undefined),
    ...defined({
      account,
      subscribers: hasSubscribers ? readSubscribers(value) : undefined,
      notTold,
      billing: billingAt(value),
      paymentTerms: textAt(value, 'payment_terms'),
    }),
  };
}

export function projectAccount(account: Account): JsonObject {
  return {
    account_id: account.accountId,
    name: nameOf(account),
    status: account.status,
    ...knownPair(account),
    billing: account.billing,
    account_scope: 'operator_brand',
    ...(account.isSandbox ? { sandbox: true } : {}),
    ...shownSubscribers(account.subscribers),
  };
}

/** Reads a seller's record of an account. A record without an id or a status is an error. */
export function readAccount(value: JsonValue): Result<Account, Finding> {
  const item = isJsonObject(value) ? value : undefined;
  const accountId = textAt(item, 'account_id');
  const status = readStatus(item);
  if (item === undefined || accountId === undefined || status === undefined)
    return err({ code: 'ACCOUNT_SET_ASIDE', message: 'an account has no id or no known status' });
  return ok({
    accountId,
    status,
    ...readPair(item),
    billing: billingAt(item) ?? 'operator',
    isSandbox: booleanAt(item, 'sandbox') === true,
    ...subscribersAt(item),
  });
}

export function projectSyncedAccount(row: SyncedAccount, to: WireProfile): JsonObject {
  const { accountId, action, status, billing, isSandbox, errors, warnings } = row;
  return defined({
    account_id: accountId,
    ...projectPair(row),
    name: nameOf(row),
    action,
    status,
    billing,
    account_scope: action === 'failed' ? undefined : 'operator_brand',
    sandbox: isSandbox ? true : undefined,
    errors: errors.length === 0 ? undefined : errors.map((error) => projectError(error, to.dialect, to.form)),
    warnings: warnings.length === 0 ? undefined : [...warnings],
    ...shownSubscribers(row.subscribers),
  });
}

function subscribersAt(item: JsonObject): Pick<Account, 'subscribers'> {
  const subscribers = readSubscribers(item);
  return subscribers.length === 0 ? {} : { subscribers };
}

function shownSubscribers(subscribers: readonly Subscriber[] = []): JsonObject {
  return subscribers.length === 0 ? {} : { notification_configs: subscribers.map(projectSubscriber) };
}

export function readSyncedAccount(value: JsonValue): Result<SyncedAccount, Finding> {
  const item = isJsonObject(value) ? value : undefined;
  const action = textAt(item, 'action');
  const status = readStatus(item);
  if (item === undefined || status === undefined || !isAction(action))
    return err({ code: 'ACCOUNT_SET_ASIDE', message: 'a row has neither an action nor a status' });
  return ok({
    ...readPair(item),
    action,
    status,
    isSandbox: booleanAt(item, 'sandbox') === true,
    errors: readErrors(item),
    warnings: textsAt(item, 'warnings'),
    ...defined({ accountId: textAt(item, 'account_id'), billing: billingAt(item) }),
    ...subscribersAt(item),
  });
}

export function projectPair({ brandDomain, brandId, operator }: Pair): JsonObject {
  return { brand: { domain: brandDomain, ...(brandId === '' ? {} : { brand_id: brandId }) }, operator };
}

/** Members that the seller did not give are listed as unsupported: an empty name is not a domain. */
function knownPair(pair: Pair): JsonObject {
  const unsupported = [
    ...(pair.brandDomain === '' ? ['brand'] : []),
    ...(pair.operator === '' ? ['operator'] : []),
  ];
  return without(projectPair(pair), unsupported);
}

function readPair(value: JsonObject): Pair {
  const brand = objectAt(value, 'brand');
  return {
    brandDomain: storedDomain(textAt(brand, 'domain') ?? ''),
    brandId: textAt(brand, 'brand_id') ?? '',
    operator: storedDomain(textAt(value, 'operator') ?? ''),
  };
}

/** A readable name: the advertiser and its operator. */
function nameOf({ brandDomain, brandId, operator }: Pair): string {
  const brand = brandId === '' ? brandDomain : `${brandId} of ${brandDomain}`;
  return `${brand} by ${operator}`;
}

function billingAt(value: JsonObject): Account['billing'] | undefined {
  const billing = textAt(value, 'billing');
  return billing === 'operator' || billing === 'agent' || billing === 'advertiser' ? billing : undefined;
}

function readStatus(value: JsonObject | undefined): AccountStatus | undefined {
  const status = textAt(value, 'status');
  return status !== undefined && statuses.has(status) ? (status as AccountStatus) : undefined;
}

function isAction(text: string | undefined): text is SyncedAccount['action'] {
  return text === 'created' || text === 'updated' || text === 'unchanged' || text === 'failed';
}

const agents = 'governance_agents';

/**
 * The account in a seller's row of a buy, for the other release of 3.x. In 3.1 one agent governs an account in all
 * matters, so one of several agents of 3.0 is not written there.
 */
export function fittedAccount(value: JsonObject, to: Form): JsonObject {
  const account = objectAt(value, 'account');
  if (account === undefined) return value;
  if (to === '3.0') return { ...value, account: withPlainBrands({ account }).account };
  if (to !== '3.1') return value;
  const [only, ...others] = objectsAt(account, agents);
  const rest = without(account, [agents]);
  if (only === undefined || others.length > 0) return { ...value, account: rest };
  return { ...value, account: { ...rest, [agents]: [without(only, ['categories'])] } };
}
