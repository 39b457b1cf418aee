import { randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, isUuid, type Instant } from '@switchyard/values';
import { isSomebodyElse } from '../control/somebody-else.js';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { Models } from '../core/tenant-models.js';
import type { invoiceModel } from '../generated/models.js';
import { isOnePerson } from '../tenancy/one-person.js';
import { lockRow } from '../core/lock-row.js';

/** What became of an act on a document; `state`: it is in a state that does not allow it. */
export type LifeStep = 'done' | 'not_found' | 'state' | 'same_person';

interface Step {
  /** UUID. */
  readonly id: string;
  /** UUID of the principal. */
  readonly by: string;
}

/** Why a credit note cannot be used for an invoice, or how much of it was. */
export type Applied =
  | {
      readonly kind: 'applied';
      readonly amountMicros: bigint;
      readonly currency: string;
      /** UUID of the application. */
      readonly id?: string;
    }
  | { readonly kind: 'no_credit' | 'no_invoice' | 'different' | 'nothing_left' | 'too_much' };

/** Holds, approvals and credits of sellers' documents. */
export function invoiceLife(store: Store) {
  return {
    hold: (scope: TenantScope, { id, by, reason }: Step & { readonly reason: string }, at: Instant) =>
      step(store, scope, id, ({ invoice }) =>
        invoice.updateMany({
          where: { id, held_at: null, voided_at: null },
          data: { held_at: new Date(at), held_by: by, hold_reason: storableText(reason) },
        }),
      ),
    release: (scope: TenantScope, { id }: Step) =>
      step(store, scope, id, ({ invoice }) =>
        invoice.updateMany({
          where: { id, held_at: { not: null } },
          data: { held_at: null, held_by: null, hold_reason: null },
        }),
      ),
    /** By another person than the one who imported it, unless nobody else could approve it. */
    approve: (scope: TenantScope, { id, by }: Step, at: Instant): Promise<LifeStep> =>
      store.inTenant(scope, async (client) => {
        const importer = isUuid(id) ? await importerOf(client, id) : undefined;
        if (importer === undefined) return 'not_found';
        const needed = { area: 'ledger', kind: 'approve', place: {} } as const;
        if ((await isOnePerson(client, by, importer)) && (await isSomebodyElse(client, importer, needed)))
          return 'same_person';
        const { count } = await client.models.invoice.updateMany({
          where: { id, approved_at: null, voided_at: null },
          data: { approved_at: new Date(at), approved_by: by },
        });
        return count > 0 ? 'done' : 'state';
      }),
    unapprove: (scope: TenantScope, { id }: Step) =>
      step(store, scope, id, ({ invoice }) =>
        invoice.updateMany({
          where: { id, approved_at: { not: null }, paid_micros: 0 },
          data: { approved_at: null, approved_by: null },
        }),
      ),
    applyCredit: (scope: TenantScope, wanted: CreditUse, at: Instant): Promise<Applied> =>
      store.inTenant(scope, (client) => applyCredit(client, wanted, at)),
    /** Takes back all that was applied of a credit note to an invoice. */
    unapplyCredit: (
      scope: TenantScope,
      wanted: Pick<CreditUse, 'creditId' | 'invoiceId'>,
    ): Promise<Applied> => store.inTenant(scope, (client) => unapplyCredit(client, wanted)),
  };
}

export type InvoiceLife = ReturnType<typeof invoiceLife>;

interface CreditUse {
  readonly creditId: string;
  readonly invoiceId: string;
  /** As much as both leave open unless set. */
  readonly amountMicros?: bigint;
  readonly by: string;
}

function step(
  store: Store,
  scope: TenantScope,
  id: string,
  change: (models: Models) => Promise<{ readonly count: number }>,
): Promise<LifeStep> {
  return store.inTenant(scope, async (client) => {
    if (!isUuid(id) || (await importerOf(client, id)) === undefined) return 'not_found';
    return (await change(client.models)).count > 0 ? 'done' : 'state';
  });
}

async function importerOf(client: TenantClient, id: string): Promise<string | undefined> {
  return (await lockRow(client, 'invoice', { id }, ['imported_by']))?.imported_by;
}

type OpenRow = Pick<invoiceModel, 'id' | 'kind' | 'connection_id' | 'currency'> & {
  readonly open: string;
  readonly is_voided: boolean;
};

/** The two documents, locked in one order. */
async function lockBoth(
  client: TenantClient,
  { creditId, invoiceId }: Pick<CreditUse, 'creditId' | 'invoiceId'>,
): Promise<{ readonly credit: OpenRow; readonly invoice: OpenRow } | 'no_credit' | 'no_invoice'> {
  const ids = [creditId, invoiceId].filter((id) => isUuid(id));
  const { rows } = await client.query<OpenRow>(
    `select id, kind, connection_id, currency, (total_micros - paid_micros)::text as open, voided_at is not null as is_voided
     from invoice where organization_id = $1 and id = any($2::uuid[]) order by id for update`,
    [client.organizationId, ids],
  );
  const credit = rows.find(({ id, kind }) => id === creditId && kind === 'credit_note');
  const invoice = rows.find(({ id, kind }) => id === invoiceId && kind === 'invoice');
  if (credit === undefined || credit.is_voided) return 'no_credit';
  return invoice === undefined || invoice.is_voided ? 'no_invoice' : { credit, invoice };
}

/** Uses a credit note for an invoice. */
export async function applyCredit(client: TenantSession, wanted: CreditUse, at: Instant): Promise<Applied> {
  const both = await lockBoth(client, wanted);
  if (typeof both === 'string') return { kind: both };
  const { credit, invoice } = both;
  const { currency } = invoice;
  if (credit.connection_id !== invoice.connection_id || credit.currency !== currency)
    return { kind: 'different' };
  const [left, open] = [-BigInt(credit.open), BigInt(invoice.open)];
  const most = left < open ? left : open;
  if (most <= 0n) return { kind: 'nothing_left' };
  const amountMicros = wanted.amountMicros ?? most;
  if (amountMicros > most) return { kind: 'too_much' };
  const id = randomUUID();
  await client.models.credit_application.create({
    data: {
      organization_id: client.organizationId,
      id,
      credit_id: credit.id,
      invoice_id: invoice.id,
      amount_micros: amountMicros,
      applied_by: wanted.by,
      applied_at: new Date(at),
    },
  });
  await move(client, { credit, invoice, amountMicros, day: isoOf(at).slice(0, 10) });
  return { kind: 'applied', amountMicros, currency, id };
}

/** Takes one application of a credit note back, if it still stands. */
export async function takeBackApplication(client: TenantSession, id: string): Promise<void> {
  const { rows } = await client.query<{ creditId: string; invoiceId: string; amount: string }>(
    `delete from credit_application where organization_id = $1 and id = $2
     returning credit_id as "creditId", invoice_id as "invoiceId", amount_micros::text as amount`,
    [client.organizationId, id],
  );
  const [row] = rows;
  const both = row === undefined ? undefined : await lockBoth(client, row);
  if (row === undefined || both === undefined || typeof both === 'string') return;
  await move(client, { ...both, amountMicros: -BigInt(row.amount), day: null });
}

async function unapplyCredit(
  client: TenantSession,
  wanted: Pick<CreditUse, 'creditId' | 'invoiceId'>,
): Promise<Applied> {
  const both = await lockBoth(client, wanted);
  if (typeof both === 'string') return { kind: both };
  const { rows } = await client.query<{ amount: string }>(
    `delete from credit_application where organization_id = $1 and credit_id = $2 and invoice_id = $3
     returning amount_micros::text as amount`,
    [client.organizationId, both.credit.id, both.invoice.id],
  );
  const amountMicros = rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  if (amountMicros === 0n) return { kind: 'nothing_left' };
  await move(client, { ...both, amountMicros: -amountMicros, day: null });
  return { kind: 'applied', amountMicros, currency: both.invoice.currency };
}

/** What is applied counts as paid on both sides. It moves nothing between accounts: both stand in `seller_invoiced`. */
async function move(
  client: TenantSession,
  {
    credit,
    invoice,
    amountMicros,
    day,
  }: {
    readonly credit: OpenRow;
    readonly invoice: OpenRow;
    readonly amountMicros: bigint;
    readonly day: string | null;
  },
): Promise<void> {
  for (const [{ id, open }, amount] of [
    [invoice, amountMicros],
    [credit, -amountMicros],
  ] as const)
    await client.models.invoice.updateMany({
      where: { organization_id: client.organizationId, id },
      data: { paid_micros: { increment: amount }, settled_on: BigInt(open) === amount ? day : null },
    });
}
