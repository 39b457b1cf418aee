import {
  billingBases,
  billingKinds,
  faultOfRule,
  faultOfTax,
  percentText,
  readBankAccount,
  shortIban,
  taxCategories,
  type BillingRule,
  type TaxRate,
} from '@switchyard/ledger';
import { isCurrency, microsToDecimal, parseDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import type { BillingSettings, StoredBilling, StoredEntity, StoredRule } from '@switchyard/store';
import { defined, err, isoOf, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { day, instant, nameOrId, plainText } from '../platform/routes/fields.js';
import { organizationWide, uuidText } from '../platform/routes/list-filters.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

interface BillingSettingsDeps extends ControlDeps {
  readonly billing: BillingSettings;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly newId: () => string;
}

const address = z.strictObject({
  street: plainText(200).trim().min(1),
  post_code: plainText(20).trim(),
  city: plainText(100).trim().min(1),
  country: z.string().regex(/^[A-Z]{2}$/, 'must be a country as in ISO 3166-1, for example DE'),
});

const currency = z.string().refine(isCurrency, 'must be a currency of ISO 4217');

const entity = z.strictObject({
  entity_id: z.string(),
  name: z.string(),
  address,
  tax_id: z.string(),
  series: z.string().describe('What its numbers begin with.'),
  next_number: z.string().describe('Of its next invoice or credit note. There are no gaps.'),
  currency: z.string(),
  iban: z.string().exactOptional().describe('Where clients pay; its first and last four characters.'),
  bic: z.string().exactOptional(),
});

const clientBilling = z.strictObject({
  client_id: z.string(),
  client: z.string(),
  entity_id: z.string(),
  entity: z.string().describe('Who bills it.'),
  name: z.string().describe('As its documents name it.'),
  address,
  tax_id: z.string().exactOptional(),
  reference: z.string().exactOptional(),
  email: z.string().exactOptional(),
  term_days: z.int(),
  detail: z.enum(['open', 'closed']),
  tax_percent: z.string(),
  tax_category: z.enum(taxCategories),
});

const rule = z.strictObject({
  rule_id: z.string(),
  client_id: z.string().exactOptional().describe('Absent: of every client.'),
  client: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
  campaign: z.string().exactOptional(),
  seller: z.string().exactOptional().describe('Absent: of every seller.'),
  kind: z.enum(billingKinds),
  basis: z.enum(billingBases),
  percent: z.string().exactOptional(),
  amount: z.string().exactOptional(),
  currency: z.string().exactOptional(),
  cap: z.string().exactOptional().describe('The most media of a campaign that is billed, over all months.'),
  tax_percent: z.string().exactOptional(),
  tax_category: z.enum(taxCategories).exactOptional(),
  starts_on: z.string(),
  ends_on: z.string().exactOptional(),
  set_by: z.string().exactOptional(),
  set_at: instant,
});

const taxMembers = {
  tax_percent: z.string().max(10).exactOptional().describe('For example 19.'),
  tax_category: z
    .enum(taxCategories)
    .exactOptional()
    .describe(
      'S: standard, Z: zero, E: exempt, AE: reverse charge, O: outside of the scope. S where the percentage is above 0, else Z.',
    ),
};

const ruleDraft = z.strictObject({
  client_id: uuidText.exactOptional(),
  campaign_id: uuidText.exactOptional(),
  seller: nameOrId.exactOptional(),
  kind: z
    .enum(billingKinds)
    .describe(
      'cost_plus: percent on top of media. commission: percent of media and commission together. fixed_month, fixed_campaign: an amount. cpm: an amount for 1,000 impressions.',
    ),
  basis: z
    .enum(billingBases)
    .exactOptional()
    .describe(
      'Of media: delivered unless set. planned: the plan, and once the month is closed the difference.',
    ),
  percent: z.string().max(10).exactOptional(),
  amount: z.string().max(40).exactOptional(),
  currency: currency.exactOptional(),
  cap: z.string().max(40).exactOptional(),
  ...taxMembers,
  starts_on: day,
  ends_on: day.exactOptional(),
});

const route = routesOn<BillingSettingsDeps>();

/** Who bills clients, how each is billed, and what it pays. */
export const billingSettingsRoutes = [
  route({
    method: 'get',
    path: '/v1/billing/entities',
    id: 'list_legal_entities',
    summary: 'Legal entities, which bill clients under numbers of their own',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: z.strictObject({ entities: z.array(entity) }),
    handle: async ({ billing }, { caller }) => {
      return ok({ entities: (await billing.entities(caller)).map(entityView) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/entities',
    id: 'set_legal_entity',
    summary: 'Add a legal entity, or change one, once another person approves it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    mayWait: true,
    body: z.strictObject({
      entity_id: uuidText.exactOptional().describe('Of the one that is changed; a new one unless set.'),
      name: plainText(200).trim().min(1),
      address,
      tax_id: plainText(50).trim().min(1),
      series: z
        .string()
        .regex(/^[A-Za-z0-9/_-]{0,20}$/, 'must be up to 20 letters, digits, -, / and _')
        .describe('What its numbers begin with, for example NW-.'),
      currency,
      iban: z.string().max(50).exactOptional(),
      bic: z.string().max(20).exactOptional(),
    }),
    answer: z.strictObject({ entity_id: z.string(), ...aloneMember }),
    handle: async (deps, { caller, body: { entity_id: known, tax_id: taxId, iban, bic, ...own } }) => {
      if (known !== undefined && !(await deps.billing.entities(caller)).some(({ id }) => id === known))
        return err({ code: 'NOT_FOUND', message: 'No legal entity has this id.', field: 'entity_id' });
      const account =
        iban === undefined ? ok(undefined) : readBankAccount({ name: own.name, iban, ...defined({ bic }) });
      if (!account.ok) return err({ code: 'INVALID_REQUEST', ...account.error });
      const id = known ?? deps.newId();
      const bank = { iban: account.value?.iban, bic: account.value?.bic };
      const act = { kind: 'set_legal_entity', entity: { id, ...own, taxId, ...defined(bank) } } as const;
      const taken = await takeControl(deps, caller, act);
      return 'answer' in taken ? taken.answer : ok({ entity_id: id, ...aloneOf(taken) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/billing/clients',
    id: 'list_billed_clients',
    summary: 'How each client is billed, by name',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: z.strictObject({ clients: z.array(clientBilling) }),
    handle: async ({ billing }, { caller }) => {
      return ok({ clients: (await billing.clients(caller)).map(clientView) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/clients',
    id: 'set_billed_client',
    summary: 'Say how a client is billed: by whom, where to, and with which tax',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      client_id: uuidText,
      entity_id: uuidText,
      name: plainText(200).trim().min(1),
      address,
      tax_id: plainText(50).trim().min(1).exactOptional(),
      reference: plainText(100).trim().min(1).exactOptional().describe('What the client asks us to name.'),
      email: z.email().max(200).exactOptional(),
      term_days: z.int().min(0).max(365).exactOptional().describe('30 unless set.'),
      detail: z
        .enum(['open', 'closed'])
        .exactOptional()
        .describe('closed: its documents show media and markup as one amount. open unless set.'),
      ...taxMembers,
    }),
    answer: z.strictObject({ client_id: z.string() }),
    handle: async ({ billing, clock }, { caller, body }) => {
      const tax = readTax(body);
      if (!tax.ok) return tax;
      if (tax.value === undefined)
        return err({ code: 'INVALID_REQUEST', message: 'Name the tax of the client.', field: 'tax_percent' });
      const { client_id: clientId, entity_id: entityId, tax_id: taxId, term_days: termDays = 30 } = body;
      const { name, detail = 'open', reference, email } = body;
      const own = { clientId, entityId, name, address: body.address, termDays, detail, tax: tax.value };
      const set = { by: caller.principalId, at: clock.now() };
      const done = await billing.setClient(caller, { ...own, ...defined({ taxId, reference, email }) }, set);
      return done
        ? ok({ client_id: clientId })
        : err({ code: 'NOT_FOUND', message: 'There is no such client or legal entity.', field: 'client_id' });
    },
  }),
  route({
    method: 'get',
    path: '/v1/billing/rules',
    id: 'list_billing_rules',
    summary: 'Rules of what clients pay, the newest first; the most specific one of a kind holds',
    needs: 'ledger.read',
    isOfOrganization: true,
    query: z.strictObject({ client_id: uuidText.exactOptional() }),
    answer: z.strictObject({ rules: z.array(rule) }),
    handle: async ({ billing }, { caller, query: { client_id: clientId } }) => {
      const found = await billing.rules(caller);
      const own =
        clientId === undefined ? found : found.filter((one) => (one.clientId ?? clientId) === clientId);
      return ok({ rules: own.map(ruleView) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/rules',
    id: 'set_billing_rule',
    summary: 'Add a rule of what clients pay, once another person approves it',
    needs: 'ledger.write',
    byPerson: true,
    mayWait: true,
    body: ruleDraft,
    answer: z.strictObject({ rule_id: z.string(), ...aloneMember }),
    handle: (deps, { caller, body }) => addRule(deps, caller, body),
  }),
  route({
    method: 'post',
    path: '/v1/billing/rules/{id}/end',
    id: 'end_billing_rule',
    summary: 'End a rule on a day, once another person approves it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    mayWait: true,
    body: z.strictObject({ ends_on: day.describe('The last day that it holds.') }),
    answer: z.strictObject({ rule_id: z.string(), ...aloneMember }),
    handle: async (deps, { caller, params: { id }, body: { ends_on: endsOn } }) => {
      const taken = await takeControl(deps, caller, { kind: 'end_billing_rule', ruleId: id, endsOn });
      return 'answer' in taken ? taken.answer : ok({ rule_id: id, ...aloneOf(taken) });
    },
  }),
];

async function addRule(deps: BillingSettingsDeps, caller: PrincipalCaller, body: z.output<typeof ruleDraft>) {
  const narrow = organizationWide(caller, 'ledger', 'write');
  if (narrow !== undefined) return err(narrow);
  const read = readRule(body);
  if (!read.ok) return read;
  const { seller } = body;
  const connection =
    seller === undefined
      ? undefined
      : (await deps.connections.list(caller)).find(({ slug, id }) => slug === seller || id === seller);
  if (seller !== undefined && connection === undefined)
    return err({
      code: 'NOT_FOUND' as const,
      message: 'There is no seller with this name.',
      field: 'seller',
    });
  const own = { ...read.value, ...(connection && { seller: connection.slug }) };
  const fault = faultOfRule(own);
  if (fault !== undefined) return err(ruleFault[fault]);
  const { amountMicros, capMicros, tax, ...plain } = own;
  const id = deps.newId();
  const amounts = defined({ amount: amountMicros?.toString(), cap: capMicros?.toString() });
  const taken = await takeControl(deps, caller, {
    kind: 'set_billing_rule',
    rule: { id, ...plain, ...amounts, ...tax },
  });
  return 'answer' in taken ? taken.answer : ok({ rule_id: id, ...aloneOf(taken) });
}

function readRule(body: z.output<typeof ruleDraft>): Result<Omit<BillingRule, 'id'>, AdminFailure> {
  const { kind, basis = 'delivered', starts_on: startsOn, ends_on: endsOn } = body;
  const percent = readPercent(body.percent, 'percent');
  if (!percent.ok) return percent;
  const tax = readTax(body);
  if (!tax.ok) return tax;
  const amount = readAmount(body.amount, 'amount');
  if (!amount.ok) return amount;
  const cap = readAmount(body.cap, 'cap');
  if (!cap.ok) return cap;
  const { client_id: clientId, campaign_id: campaignId } = body;
  return ok({
    ...{ kind, basis, startsOn },
    ...defined({ clientId, campaignId, endsOn, currency: body.currency, tax: tax.value }),
    ...defined({ percentHundredths: percent.value, amountMicros: amount.value, capMicros: cap.value }),
  });
}

const ruleFault: Readonly<Record<NonNullable<ReturnType<typeof faultOfRule>>, AdminFailure>> = {
  percent: {
    code: 'INVALID_REQUEST',
    message: 'cost_plus takes a percentage from 0 to 1000, commission one below 100, and fees take none.',
    field: 'percent',
  },
  amount: {
    code: 'INVALID_REQUEST',
    message: 'Fees take an amount above 0, media takes none.',
    field: 'amount',
  },
  currency: {
    code: 'INVALID_REQUEST',
    message: 'Fees take a currency; media is billed in its own.',
    field: 'currency',
  },
  cap: { code: 'INVALID_REQUEST', message: 'Only media has a cap, above 0.', field: 'cap' },
  basis: {
    code: 'INVALID_REQUEST',
    message: 'Only media has a basis, and planned media names no seller.',
    field: 'basis',
  },
  ends_on: { code: 'INVALID_REQUEST', message: 'A rule ends on its first day or later.', field: 'ends_on' },
  tax: {
    code: 'INVALID_REQUEST',
    message: 'Only the category S has a percentage above 0.',
    field: 'tax_percent',
  },
};

function readAmount(text: string | undefined, field: string): Result<bigint | undefined, AdminFailure> {
  if (text === undefined) return ok(undefined);
  const read = parseDecimal(text);
  return read.ok
    ? ok(read.value)
    : err({ code: 'INVALID_REQUEST', message: 'An amount must be a decimal number.', field });
}

/** A percentage with two decimals at most, in hundredths. */
function readPercent(text: string | undefined, field: string): Result<number | undefined, AdminFailure> {
  if (text === undefined) return ok(undefined);
  const read = parseDecimal(text);
  if (!read.ok || read.value < 0n || read.value % 10_000n !== 0n || read.value > 1_000_000_000n)
    return err({
      code: 'INVALID_REQUEST',
      message: 'A percentage must be from 0 to 1000 with two decimals at most.',
      field,
    });
  return ok(Number(read.value / 10_000n));
}

function readTax({
  tax_percent: percent,
  tax_category: category,
}: {
  readonly tax_percent?: string;
  readonly tax_category?: TaxRate['taxCategory'];
}): Result<TaxRate | undefined, AdminFailure> {
  if (percent === undefined && category === undefined) return ok(undefined);
  const read = readPercent(percent ?? '0', 'tax_percent');
  if (!read.ok) return read;
  const taxHundredths = read.value ?? 0;
  const tax: TaxRate = { taxHundredths, taxCategory: category ?? (taxHundredths > 0 ? 'S' : 'Z') };
  return faultOfTax(tax) ? err(ruleFault.tax) : ok(tax);
}

const entityView = ({ id, taxId, nextNumber, iban, bic, ...own }: StoredEntity): z.output<typeof entity> => ({
  ...{ entity_id: id, name: own.name, address: own.address, tax_id: taxId, series: own.series },
  ...{ next_number: nextNumber.toString(), currency: own.currency },
  ...defined({ iban: iban === undefined ? undefined : shortIban(iban), bic }),
});

const clientView = ({
  clientId,
  entityId,
  taxId,
  termDays,
  tax,
  ...own
}: StoredBilling): z.output<typeof clientBilling> => ({
  ...{ client_id: clientId, client: own.client, entity_id: entityId, entity: own.entity, name: own.name },
  address: own.address,
  ...defined({ tax_id: taxId, reference: own.reference, email: own.email }),
  ...{ term_days: termDays, detail: own.detail },
  ...{ tax_percent: percentText(tax.taxHundredths), tax_category: tax.taxCategory },
});

function ruleView(found: StoredRule): z.output<typeof rule> {
  const { id, kind, basis, percentHundredths, amountMicros, capMicros, tax, startsOn, setAt } = found;
  const amount = (micros: bigint | undefined) => (micros === undefined ? undefined : microsToDecimal(micros));
  const percent = (part: number | undefined) => (part === undefined ? undefined : percentText(part));
  return {
    ...{ rule_id: id, kind, basis, starts_on: startsOn, set_at: isoOf(setAt) },
    ...defined({
      client_id: found.clientId,
      client: found.client,
      campaign_id: found.campaignId,
      campaign: found.campaign,
      seller: found.seller,
      percent: percent(percentHundredths),
      amount: amount(amountMicros),
      currency: found.currency,
      cap: amount(capMicros),
      tax_percent: percent(tax?.taxHundredths),
      tax_category: tax?.taxCategory,
      ends_on: found.endsOn,
      set_by: found.setBy,
    }),
  };
}
