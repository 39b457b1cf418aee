import type { SpendingLimit } from '@switchyard/buys';
import { budgetFault, checkBudget, isCurrency, microsToDecimal } from '@switchyard/money';
import {
  narrowed,
  ownReach,
  permissionsOfScopes,
  programKey,
  scopesBuy,
  type Permissions,
  type Principal,
} from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { OAuthPorts } from './ports.js';

/** A scope as the page offers it. */
export interface OfferedScope {
  readonly name: string;
  /** What it would let the program do in this person's name. */
  readonly holds: string;
  readonly isChosen: boolean;
}

/** What the program may spend, as the fields of the page hold it. */
export interface LimitFields {
  readonly amount: string;
  readonly currency: string;
  /** `month`, or `all`: in total. */
  readonly per: string;
}

interface ConsentDeps {
  readonly ports: Pick<OAuthPorts, 'limits' | 'organizations' | 'audit' | 'newId'>;
  readonly clock: Clock;
}

/** Who lets which program in, and what the program asked for. */
export interface ConsentQuestion {
  readonly person: Principal;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly string[];
}

/** What a program may spend in a month if its person says nothing else, in the organization's currency. */
const usualAmount = '1000';
const shownLimits = 200;

/** The scopes that a program asked for, each with what it holds for this person. */
export function offeredScopes(
  { person, scopes }: ConsentQuestion,
  chosen: readonly string[] = scopes,
): readonly OfferedScope[] {
  return scopes.map((name) => ({
    name,
    holds: wordsOf(narrowed(person.permissions, permissionsOfScopes(name))),
    isChosen: chosen.includes(name),
  }));
}

function wordsOf(held: Permissions): string {
  const lines = Object.entries(held).map(([area, kinds]) => `${area.replace('_', ' ')}: ${kinds.join(', ')}`);
  return lines.length === 0
    ? 'nothing: your roles allow nothing of it, or only a person may do it'
    : lines.join('; ');
}

/** The limit that the page offers: the present one of this program, or the usual one. Undefined if it could not buy. */
export async function offeredLimit(
  { ports, clock }: ConsentDeps,
  { person, clientId, scopes }: ConsentQuestion,
): Promise<LimitFields | undefined> {
  if (!scopesBuy(scopes.join(' '), person.permissions)) return undefined;
  const { organizationId, id } = person;
  const found = (await limitsOn({ ports, clock }, person)).find(
    ({ key }) => key === programKey(id, clientId),
  );
  if (found !== undefined)
    return { amount: microsToDecimal(found.amount), currency: found.currency, per: found.per ?? 'all' };
  const organization = await ports.organizations.byId(organizationId);
  return { amount: usualAmount, currency: organization?.reportingCurrency ?? 'USD', per: 'month' };
}

/**
 * Stores what the person has decided, with a record in the audit: the limit first, so that no program can buy without
 * one. Returns the scopes that are given, or why the answer cannot be taken, as text.
 */
export async function takeConsent(
  deps: ConsentDeps,
  question: ConsentQuestion,
  form: URLSearchParams,
  save: (given: readonly string[]) => Promise<void>,
): Promise<Result<readonly string[], string>> {
  const { person, clientId, clientName, scopes } = question;
  const { ports, clock } = deps;
  const given = scopes.filter((name) => form.getAll('scope').includes(name));
  if (given.length === 0 && scopes.length > 0)
    return err('Choose what the program may do, or do not allow it.');
  const buys = scopesBuy(given.join(' '), person.permissions);
  const limit = buys ? await readLimit(deps, question, form) : ok(undefined);
  if (!limit.ok) return limit;
  const scope = { organizationId: person.organizationId };
  const act = await ports.audit.begin(scope, {
    at: clock.now(),
    actorId: person.id,
    actorName: person.name,
    action: 'allow_program',
    objectKind: 'program',
    objectId: clientId.slice(0, 500),
    objectName: clientName.slice(0, 300),
    detail: { scopes: [...given], ...(limit.value !== undefined && { limit: textOf(limit.value) }) },
  });
  if (limit.value !== undefined) await ports.limits.set(scope, limit.value, person.id);
  await save(given);
  await ports.audit.end(scope, act, { outcome: 'ok', endedAt: clock.now() });
  return ok(given);
}

/** The limit of the form. It is the person's own act, and within the person's own limits. */
async function readLimit(
  deps: ConsentDeps,
  { person, clientId }: ConsentQuestion,
  form: URLSearchParams,
): Promise<Result<SpendingLimit, string>> {
  const { amount: text, currency: named, per } = limitFields(form);
  const currency = named.trim().toUpperCase();
  if (!isCurrency(currency)) return err('The limit needs a currency of ISO 4217, for example EUR.');
  const amount = checkBudget(text.trim(), currency);
  if (!amount.ok) return err(budgetFault(amount.error, currency));
  const over = (await limitsOn(deps, person)).find(
    (own) =>
      own.kind === 'principal' &&
      own.currency === currency &&
      (own.per === undefined || per === 'month') &&
      amount.value > own.amount,
  );
  if (over !== undefined)
    return err(`Your own limit is ${textOf(over)}: a program of yours gets no higher one.`);
  return ok({
    id: deps.ports.newId(),
    kind: 'program',
    key: programKey(person.id, clientId),
    amount: amount.value,
    currency,
    above: 'refuse',
    createdAt: deps.clock.now(),
    ...(per === 'month' && { per }),
  });
}

/** The fields of the limit as they were sent. */
export function limitFields(form: URLSearchParams): LimitFields {
  const field = (name: string): string => (form.get(name) ?? '').slice(0, 40);
  return {
    amount: field('limit_amount'),
    currency: field('limit_currency'),
    per: field('limit_per') === 'all' ? 'all' : 'month',
  };
}

async function limitsOn(
  { ports, clock }: ConsentDeps,
  { organizationId, id }: Principal,
): Promise<readonly SpendingLimit[]> {
  const page = { reach: ownReach(id), at: clock.now(), limit: shownLimits };
  return (await ports.limits.list({ organizationId }, page)).map(({ limit }) => limit);
}

function textOf({ amount, currency, per }: SpendingLimit): string {
  return `${microsToDecimal(amount)} ${currency}${per === 'month' ? ' per month' : ' in all'}`;
}
