import type { ControlAct } from '@switchyard/buys';
import type { BillingRule } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { defined, isUuid } from '@switchyard/values';
import {
  addRule,
  endRule,
  readEntities,
  readRules,
  setEntity,
  type LegalEntity,
} from '../billing/billing-settings.js';
import { voidClientPayment } from '../billing/void-client-payment.js';
import type { TenantClient } from '../core/tenant-client.js';
import { refused, type ActRules } from './control-act.js';

/** Money that is said not to have come is decided by two people: it makes a client owe again. */
export const clientPaymentVoided: ActRules<'void_client_payment'> = {
  judge: async (client, { paymentId, reason }) => {
    const [found] = isUuid(paymentId) ? await paymentOf(client, paymentId) : [];
    if (found === undefined) return refused('NOT_FOUND', 'No payment of a client that stands has this id.');
    const { number, amount, currency, reference } = found;
    const text = `${microsToDecimal(BigInt(amount))} ${currency} for ${number}`;
    return {
      asks: true,
      basedOn: [number, amount],
      place: {},
      subject: `payment of ${text}`,
      reason: `Takes back the payment ${reference} of ${text}: ${reason}`,
      amount: BigInt(amount),
      currency,
    };
  },
  apply: async (client, { paymentId, reason }, { by, at }) => {
    const done = await voidClientPayment(client, paymentId, { by, reason }, at);
    if (done === undefined) throw new Error('A payment that was judged to stand is gone.');
    return done;
  },
};

async function paymentOf(client: TenantClient, id: string) {
  const { rows } = await client.query<{
    number: string;
    amount: string;
    currency: string;
    reference: string;
  }>(
    `select coalesce(i.number, '') as number, p.amount_micros::text as amount, i.currency, p.reference
     from client_payment p join client_invoice i on i.organization_id = p.organization_id and i.id = p.invoice_id
     where p.organization_id = $1 and p.id = $2 and p.voided_at is null`,
    [client.organizationId, id],
  );
  return rows;
}

type ActOf<Kind extends ControlAct['kind']> = Extract<ControlAct, { readonly kind: Kind }>;

/** Who bills, and to which account clients pay, is decided by two people. */
export const legalEntitySet: ActRules<'set_legal_entity'> = {
  judge: async (client, { entity }) => {
    const known = await readEntities(client);
    const before = known.find(({ id }) => id === entity.id);
    const other = known.find(
      ({ id, name, series }) => id !== entity.id && (name === entity.name || series === entity.series),
    );
    if (other !== undefined)
      return refused('CONFLICT', `The legal entity ${other.name} has this name or this series of numbers.`);
    if (before !== undefined && before.series !== entity.series && before.nextNumber > 1n)
      return refused('CONFLICT', 'Documents have numbers of this series: it cannot change any more.');
    return {
      asks: true,
      basedOn: before === undefined ? null : textOf(before),
      place: {},
      subject: `legal entity ${entity.name}`,
      reason: 'Clients are billed by it, and pay to its account.',
      after: textOf(entity),
      ...(before !== undefined && { before: textOf(before) }),
    };
  },
  apply: async (client, { entity }, taking) => {
    await setEntity(client, entity, taking);
    return true;
  },
};

const textOf = ({ name, address, taxId, series, currency, iban = '', bic = '' }: LegalEntity): string =>
  [name, address.street, address.post_code, address.city, address.country, taxId, series, currency, iban, bic]
    .filter(Boolean)
    .join(', ');

/** What clients pay is decided by two people. */
export const billingRuleSet: ActRules<'set_billing_rule'> = {
  judge: async (client, { rule }) => {
    const names = await namesOf(client, rule);
    if (names === undefined)
      return refused(
        'NOT_FOUND',
        'There is no such client or campaign, or the campaign is another client’s.',
      );
    return {
      asks: true,
      basedOn: null,
      place: {},
      subject: `billing rule for ${names}`,
      reason: `Bills ${names} by it from ${rule.startsOn} on.`,
      after: ruleText(ruleOf(rule)),
    };
  },
  apply: async (client, { rule }, taking) => {
    await addRule(client, ruleOf(rule), taking);
    return true;
  },
};

/** A rule is never removed, because documents rest on it: it ends. */
export const billingRuleEnded: ActRules<'end_billing_rule'> = {
  judge: async (client, { ruleId, endsOn }) => {
    const rule = (await readRules(client)).find(({ id }) => id === ruleId);
    if (rule === undefined) return refused('NOT_FOUND', 'There is no billing rule with this id.');
    if (endsOn < rule.startsOn) return refused('CONFLICT', 'The rule begins later.');
    return {
      asks: true,
      basedOn: rule.endsOn ?? null,
      place: {},
      subject: `billing rule for ${[rule.client ?? 'every client', rule.campaign, rule.seller].filter(Boolean).join(', ')}`,
      reason: `Ends the rule: ${ruleText(rule)}.`,
      after: `until ${endsOn}`,
      ...(rule.endsOn !== undefined && { before: `until ${rule.endsOn}` }),
    };
  },
  apply: async (client, { ruleId, endsOn }) => {
    await endRule(client, ruleId, endsOn);
    return true;
  },
};

function ruleOf({
  amount,
  cap,
  taxHundredths,
  taxCategory,
  ...rule
}: ActOf<'set_billing_rule'>['rule']): BillingRule {
  return {
    ...rule,
    ...defined({
      amountMicros: amount === undefined ? undefined : BigInt(amount),
      capMicros: cap === undefined ? undefined : BigInt(cap),
    }),
    ...(taxHundredths !== undefined && taxCategory !== undefined && { tax: { taxHundredths, taxCategory } }),
  };
}

function ruleText({
  kind,
  basis,
  percentHundredths,
  amountMicros,
  currency = '',
  capMicros,
  startsOn,
  endsOn,
}: BillingRule) {
  const price =
    percentHundredths === undefined
      ? `${microsToDecimal(amountMicros ?? 0n)} ${currency}`
      : `${String(percentHundredths / 100)} %`;
  return [
    `${kind} ${price}`,
    basis,
    ...(capMicros === undefined ? [] : [`at most ${microsToDecimal(capMicros)}`]),
    `from ${startsOn}`,
    ...(endsOn === undefined ? [] : [`until ${endsOn}`]),
  ].join(', ');
}

/** What a rule is for, in words; undefined where it is not there. */
async function namesOf(
  client: TenantClient,
  { clientId, campaignId, seller }: ActOf<'set_billing_rule'>['rule'],
): Promise<string | undefined> {
  const { rows } = await client.query<{ client: string | null; campaign: string | null }>(
    `select c.name as client, k.name as campaign from (select $2::uuid as client_id, $3::uuid as campaign_id) w
     left join client c on c.organization_id = $1 and c.id = w.client_id
     left join campaign k on k.organization_id = $1 and k.id = w.campaign_id
       and (w.client_id is null or k.client_id = w.client_id)`,
    [client.organizationId, clientId ?? null, campaignId ?? null],
  );
  const [found] = rows;
  if ((clientId !== undefined && !found?.client) || (campaignId !== undefined && !found?.campaign))
    return undefined;
  return [found?.client ?? 'every client', found?.campaign, seller].filter(Boolean).join(', ');
}
