import type { ClientDue } from '@switchyard/ledger';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { complete } from './billing-figures.js';

/** Media of a client that is delivered and not billed by the end of a month, less what an earlier close has posted. */
interface ClientAccrual extends ClientDue {
  /** Its name. */
  readonly client: string;
}

/**
 * Media of clients with a rule, from the month of their first rule on, that no issued document has billed by the end of a
 * month. Fees are not delivered and are not accrued.
 */
export async function readClientAccruals(
  client: TenantClient,
  period: string,
): Promise<readonly ClientAccrual[]> {
  const { rows } = await client.query<{
    client_id: string;
    client: string;
    currency: string;
    amount: string;
    posted: string;
  }>(
    `with billed_from as (
       select b.client_id, min(left(r.starts_on, 7)) as month
       from client_billing b
       join billing_rule r on r.organization_id = b.organization_id and (r.client_id is null or r.client_id = b.client_id)
       where b.organization_id = $1 group by b.client_id
     ), parts as (
       select f.client_id, s.currency, sum(s.amount_micros) as amount
       from billed_from f join media_buy m on m.organization_id = $1 and m.client_id = f.client_id
       join package_spend s on s.organization_id = $1 and s.media_buy_id = m.id and s.month >= f.month and s.month <= $2
       group by f.client_id, s.currency
       union all
       select i.client_id, i.currency, -sum(l.net_micros)
       from billed_from f join client_invoice i on i.organization_id = $1 and i.client_id = f.client_id
         and i.state = 'issued' and i.period >= f.month and i.period <= $2
       join client_invoice_line l on l.organization_id = $1 and l.invoice_id = i.id and l.type = 'media'
       group by i.client_id, i.currency
     ), due as (
       select client_id, currency, greatest(sum(amount), 0) as amount from parts group by client_id, currency
     ), posted as (
       select client_id, currency, amount_micros from client_accrual where organization_id = $1 and period = $2
     )
     select c.id as client_id, c.name as client, coalesce(d.currency, a.currency) as currency,
       coalesce(d.amount, 0)::text as amount, coalesce(a.amount_micros, 0)::text as posted
     from due d full join posted a on a.client_id = d.client_id and a.currency = d.currency
     join client c on c.id = coalesce(d.client_id, a.client_id)
     order by c.name, c.id, currency limit 50001`,
    [client.organizationId, period],
  );
  return complete(rows).map(({ client_id: clientId, amount, posted, ...row }) => ({
    ...{ clientId, client: row.client, currency: row.currency, amountMicros: BigInt(amount) },
    toPostMicros: BigInt(amount) - BigInt(posted),
  }));
}

/** Keeps what of each client stands accrued at the end of a month. The caller books the entries. */
export async function saveClientAccruals(
  client: TenantSession,
  period: string,
  accruals: readonly ClientDue[],
): Promise<void> {
  for (const { clientId, currency, amountMicros: amount_micros } of accruals) {
    const key = { organization_id: client.organizationId, client_id: clientId, period, currency };
    await client.models.client_accrual.upsert({
      where: { organization_id_client_id_period_currency: key },
      create: { ...key, amount_micros },
      update: { amount_micros },
    });
  }
}
