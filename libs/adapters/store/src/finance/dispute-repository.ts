import { randomUUID } from 'node:crypto';
import {
  amountsOf,
  disputeAmounts,
  entryOf,
  movedPostings,
  type AccountAmounts,
  type DisputeLetter,
  type DisputeOutcome,
  type LedgerEntry,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant, type JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { rowReader } from '../core/row-mapper.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { disputeModel } from '../generated/models.js';
import { appendBlock } from '../ledger/append-block.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { openBreak, resolveBreak } from './break-repository.js';
import {
  breakColumns,
  breakRow,
  dayOf,
  freeHold,
  holdByVerdict,
  insertHold,
  resolvedBefore,
  type JudgedRound,
} from './break-verdict.js';
import { holdKeyOf, insertDispute, largestOf } from './dispute-case.js';
import { readLetter } from './dispute-letter.js';
import { applyCredit, takeBackApplication } from './invoice-life.js';
import { lockRow } from '../core/lock-row.js';

/** Why a step of a case is not done. */
type DisputeRefusal =
  | 'no_dispute'
  | 'no_invoice'
  | 'no_line'
  | 'no_break'
  | 'nothing_billed'
  | 'too_much'
  | 'state'
  | 'no_credit'
  | 'credit_too_small'
  | 'moved_on';

export type DisputeStep = { readonly id: string } | { readonly refused: DisputeRefusal };

type Said = 'seller' | 'us';

interface DisputeAnswer {
  readonly from: Said;
  readonly text: string;
  /** Name of the principal that entered it. */
  readonly by: string;
  readonly at: Instant;
}

type Opening = {
  readonly reason: string;
  /** `YYYY-MM-DD`; 30 days from now unless set. */
  readonly dueOn?: string;
  readonly by: string;
} & (
  | { readonly breakId: string }
  | { readonly invoiceId: string; readonly amountMicros: bigint; readonly lines: readonly number[] }
);

interface Closing {
  readonly outcome: DisputeOutcome;
  /** The part that is credited, of one that ends `partly`. */
  readonly creditedMicros?: bigint;
  /** UUID of the credit note, of what is credited. */
  readonly creditId?: string;
  readonly note: string;
  readonly by: string;
}

/** Cases: amounts of invoices that are disputed with their sellers. A case is named by its UUID or its number, `D-1`. */
export function disputeRepository(store: Store) {
  return {
    open: (scope: TenantScope, opening: Opening, at: Instant): Promise<DisputeStep> =>
      store.inTenant(scope, (client) =>
        'breakId' in opening ? openOfBreak(client, opening, at) : openOfInvoice(client, opening, at),
      ),
    answer: (
      scope: TenantScope,
      named: string,
      said: { readonly from: Said; readonly text: string; readonly by: string },
      at: Instant,
    ): Promise<DisputeStep> =>
      store.inTenant(scope, async (client) => {
        const row = await lockDispute(client, named);
        if (row === undefined) return { refused: 'no_dispute' };
        if (row.state !== 'open') return { refused: 'state' };
        await client.models.dispute_answer.create({
          data: {
            organization_id: client.organizationId,
            id: randomUUID(),
            dispute_id: row.id,
            said_by: said.from,
            text: storableText(said.text),
            principal_id: said.by,
            at: new Date(at),
          },
        });
        return { id: row.id };
      }),
    close: (scope: TenantScope, named: string, closing: Closing, at: Instant): Promise<DisputeStep> =>
      store.inTenant(scope, (client) => closeDispute(client, named, closing, at)),
    reopen: (
      scope: TenantScope,
      named: string,
      by: { readonly by: string; readonly reason: string },
      at: Instant,
    ): Promise<DisputeStep> => store.inTenant(scope, (client) => reopenDispute(client, named, by, at)),
    /** The id of a case by its id or number. */
    idOf: (scope: TenantScope, named: string): Promise<string | undefined> =>
      store.inTenant(scope, (client) => disputeId(client, named)),
    answers: (scope: TenantScope, id: string): Promise<readonly DisputeAnswer[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ from: Said; text: string; by: string; at: Date }>(
          `select a.said_by as from, a.text, p.name as by, a.at from dispute_answer a
           join principal p on p.id = a.principal_id
           where a.organization_id = $1 and a.dispute_id = $2 order by a.at, a.id limit 500`,
          [client.organizationId, id],
        );
        return rows.map(({ at, ...answer }) => ({ ...answer, at: at.getTime() }));
      }),
    letter: (scope: TenantScope, id: string): Promise<DisputeLetter | undefined> =>
      store.inTenant(scope, (client) => readLetter(client, id)),
    /** Open cases of invoices of a month: a close lists them and does not wait for them. At most 100, the oldest first. */
    openOfPeriod: (scope: TenantScope, period: string): Promise<readonly OpenDispute[]> =>
      store.inTenantModels(scope, async ({ dispute }) => {
        const rows = await dispute.findMany({
          where: { organization_id: scope.organizationId, period, state: 'open' },
          orderBy: { number: 'asc' },
          take: 100,
        });
        return rows.map((row) => ({ ...openDisputeOf(row), number: `D-${String(row.number)}` }));
      }),
  };
}

export type DisputeRepository = ReturnType<typeof disputeRepository>;

interface OpenDispute {
  readonly id: string;
  readonly number: string;
  readonly seller: string;
  readonly currency: string;
  readonly amountMicros: bigint;
  readonly dueOn: string;
}

const openDisputeOf = rowReader<Omit<OpenDispute, 'number'>>()('id, seller, currency, amount_micros, due_on');

type DisputeRow = Omit<disputeModel, 'amount_micros' | 'credited_micros' | 'state' | 'outcome'> & {
  readonly amount: string;
  readonly state: 'open' | 'closed';
  readonly outcome: DisputeOutcome | null;
  readonly credited: string | null;
};

const shown = '*, amount_micros::text as amount, credited_micros::text as credited';

/** Finds the UUID of a case. */
async function disputeId(client: TenantSession, named: string): Promise<string | undefined> {
  const number = /^d-([1-9]\d{0,8})$/i.exec(named)?.[1];
  if (number === undefined && !isUuid(named)) return undefined;
  const key = number === undefined ? { id: named } : { number: Number(number) };
  const where = { organization_id: client.organizationId, ...key };
  return (await client.models.dispute.findFirst({ where }))?.id;
}

async function lockDispute(client: TenantSession, named: string): Promise<DisputeRow | undefined> {
  const id = await disputeId(client, named);
  if (id === undefined) return undefined;
  const { rows } = await client.query<DisputeRow>(
    `select ${shown} from dispute where organization_id = $1 and id = $2 for update`,
    [client.organizationId, id],
  );
  return rows[0];
}

async function openOfBreak(
  client: TenantSession,
  { breakId, reason, dueOn, by }: Extract<Opening, { readonly breakId: string }>,
  at: Instant,
): Promise<DisputeStep> {
  const found = isUuid(breakId) ? await openBreak(client, breakId) : undefined;
  if (found === undefined) return { refused: 'no_break' };
  if (amountsOf('dispute', found).size === 0 || found.differenceMicros <= 0n)
    return { refused: 'nothing_billed' };
  const wanted = { id: breakId, as: 'dispute', reason, by, ...(dueOn !== undefined && { dueOn }) } as const;
  const done = await resolveBreak(client, wanted, at);
  return done?.disputeId === undefined ? { refused: 'nothing_billed' } : { id: done.disputeId };
}

async function openOfInvoice(
  client: TenantSession,
  opening: Extract<Opening, { readonly invoiceId: string }>,
  at: Instant,
): Promise<DisputeStep> {
  const head = await lockHead(client);
  const { amountMicros, lines, reason, dueOn, by } = opening;
  const invoice = await largestOf(client, [opening.invoiceId]);
  if (invoice === undefined) return { refused: 'no_invoice' };
  if (amountMicros > (await undisputedOf(client, invoice.id, BigInt(invoice.total))))
    return { refused: 'too_much' };
  const named = { invoice_id: invoice.id, line: { in: [...lines] } };
  if ((await client.models.invoice_line.count({ where: named })) !== new Set(lines).size)
    return { refused: 'no_line' };
  const entryId = timeOrderedId(at);
  const about = { invoice, amountMicros, lines, reason, by, entryId, ...(dueOn !== undefined && { dueOn }) };
  const id = await insertDispute(client, about, at);
  const left = BigInt(invoice.open) < amountMicros ? BigInt(invoice.open) : amountMicros;
  if (left > 0n)
    await insertHold(client, { invoiceId: invoice.id, key: holdKeyOf(id), amountMicros: left }, at);
  const entry = caseEntry({
    entryId,
    row: { id, seller: invoice.seller, currency: invoice.currency },
    ...{ before: new Map(), now: disputeAmounts({ amountMicros }) },
    day: await dayOf(client, invoice.period),
    facts: { invoice_id: invoice.id, step: 'opened', by, reason: storableText(reason) },
    at,
  });
  await appendBlock(client, head, [entry], at);
  return { id };
}

/** What of an invoice is in no open case. */
async function undisputedOf(
  { models, organizationId }: TenantSession,
  invoiceId: string,
  total: bigint,
): Promise<bigint> {
  const { _sum: disputed } = await models.dispute.aggregate({
    where: { organization_id: organizationId, invoice_id: invoiceId, state: 'open' },
    _sum: { amount_micros: true },
  });
  return total - (disputed.amount_micros ?? 0n);
}

async function closeDispute(
  client: TenantSession,
  named: string,
  closing: Closing,
  at: Instant,
): Promise<DisputeStep> {
  const head = await lockHead(client);
  const row = await lockDispute(client, named);
  if (row === undefined) return { refused: 'no_dispute' };
  if (row.state !== 'open') return { refused: 'state' };
  const amountMicros = BigInt(row.amount);
  const { outcome, creditId, note, by } = closing;
  const credited =
    outcome === 'credited' ? amountMicros : outcome === 'partly' ? closing.creditedMicros : undefined;
  if (outcome === 'partly' && (credited === undefined || credited <= 0n || credited >= amountMicros))
    return { refused: 'too_much' };
  if (credited !== undefined) {
    const refused = await creditFault(client, row, { creditId, credited });
    if (refused !== undefined) return { refused };
  }
  await freeHold(client, row.hold_key);
  const applied =
    credited === undefined || creditId === undefined
      ? undefined
      : await applyUpTo(client, { creditId, invoiceId: row.invoice_id, credited, by }, at);
  const ofBreak = await breakOf(client, row);
  const now = await amountsAfter(client, ofBreak, { amountMicros, outcome, credited });
  await client.models.dispute.updateMany({
    where: { organization_id: client.organizationId, id: row.id },
    data: {
      state: 'closed',
      outcome,
      credited_micros: credited ?? null,
      credit_id: credited === undefined ? null : (creditId ?? null),
      application_id: applied ?? null,
      closing_note: storableText(note),
      closed_by: by,
      closed_at: new Date(at),
    },
  });
  if (ofBreak !== undefined) await endBreak(client, ofBreak.id, { amountMicros, outcome, credited });
  const entry = caseEntry({
    entryId: timeOrderedId(at),
    row,
    ...{ before: amountsWhileOpen(ofBreak, amountMicros), now },
    day: await dayOf(client, row.period),
    facts: {
      step: 'closed',
      outcome,
      by,
      reason: storableText(note),
      ...(credited !== undefined && { credited_micros: credited.toString() }),
      ...(creditId !== undefined && { credit_id: creditId }),
    },
    at,
  });
  await appendBlock(client, head, [entry], at);
  return { id: row.id };
}

/** A credit note stands for what is credited, and for nothing of another case. */
async function creditFault(
  client: TenantClient,
  row: DisputeRow,
  { creditId, credited }: { readonly creditId: string | undefined; readonly credited: bigint },
): Promise<'no_credit' | 'credit_too_small' | undefined> {
  const { rows } = await client.query<{ left: string }>(
    `select (-i.total_micros - (select coalesce(sum(d.credited_micros), 0) from dispute d
       where d.organization_id = i.organization_id and d.credit_id = i.id and d.state = 'closed'))::text as left
     from invoice i where i.organization_id = $1 and i.id = $2 and i.kind = 'credit_note' and i.voided_at is null
       and i.connection_id = $3 and i.currency = $4 for update`,
    [
      client.organizationId,
      creditId === undefined || !isUuid(creditId) ? null : creditId,
      row.connection_id,
      row.currency,
    ],
  );
  if (rows[0] === undefined) return 'no_credit';
  return BigInt(rows[0].left) < credited ? 'credit_too_small' : undefined;
}

/** Uses a credit note for the invoice as far as both leave something open. Returns the id of what was applied. */
async function applyUpTo(
  client: TenantSession,
  {
    credited,
    ...use
  }: {
    readonly creditId: string;
    readonly invoiceId: string;
    readonly credited: bigint;
    readonly by: string;
  },
  at: Instant,
): Promise<string | undefined> {
  const { rows } = await client.query<{ most: string }>(
    `select least(i.total_micros - i.paid_micros, c.paid_micros - c.total_micros, $4::bigint)::text as most
     from invoice i, invoice c
     where i.organization_id = $1 and i.id = $2 and c.organization_id = $1 and c.id = $3`,
    [client.organizationId, use.invoiceId, use.creditId, credited.toString()],
  );
  const amountMicros = BigInt(rows[0]?.most ?? '0');
  if (amountMicros <= 0n) return undefined;
  const applied = await applyCredit(client, { ...use, amountMicros }, at);
  return applied.kind === 'applied' ? applied.id : undefined;
}

interface Ended {
  readonly amountMicros: bigint;
  readonly outcome: DisputeOutcome;
  readonly credited: bigint | undefined;
}

/** What stands on accounts while a case is open: a fee is disputed from its own account. */
const amountsWhileOpen = (ofBreak: JudgedRound | undefined, amountMicros: bigint): AccountAmounts =>
  ofBreak?.kind === 'unordered_fee'
    ? amountsOf('dispute', { ...ofBreak, differenceMicros: amountMicros })
    : disputeAmounts({ amountMicros });

/**
 * What a case leaves on accounts once it ended: one that is withdrawn leaves what stood there before, and one about a fee
 * leaves it on its own account.
 */
async function amountsAfter(
  client: TenantSession,
  ofBreak: JudgedRound | undefined,
  { credited, ...ended }: Ended,
): Promise<AccountAmounts> {
  if (ofBreak?.kind === 'unordered_fee' && ended.outcome !== 'withdrawn') return new Map();
  if (ofBreak === undefined || ended.outcome !== 'withdrawn')
    return disputeAmounts({ ...ended, ...(credited !== undefined && { creditedMicros: credited }) });
  const before = await resolvedBefore(client, ofBreak);
  return amountsOf(before?.resolution, before);
}

async function breakOf(
  client: TenantClient,
  { break_id: id }: Pick<DisputeRow, 'break_id'>,
): Promise<JudgedRound | undefined> {
  if (id === null) return undefined;
  const row = await lockRow(client, 'reconciliation_break', { id }, breakColumns);
  return row && breakRow(row);
}

/**
 * What the end of a case makes of its difference. What is credited needs nothing more (`corrected`); of what is accepted,
 * the rest is the difference that later runs find; one that is withdrawn is open again.
 */
async function endBreak(
  { models, organizationId }: TenantSession,
  id: string,
  { amountMicros, outcome, credited }: Ended,
): Promise<void> {
  const [state, resolution] =
    outcome === 'withdrawn' ? ['open', null] : ['resolved', outcome === 'credited' ? 'corrected' : 'accept'];
  const rest = outcome === 'partly' ? amountMicros - (credited ?? 0n) : amountMicros;
  await models.reconciliation_break.updateMany({
    where: { organization_id: organizationId, id },
    data: {
      ...{ state, resolution, difference_micros: rest },
      ...(state === 'open' && { resolved_by: null, resolved_at: null }),
    },
  });
}

async function reopenDispute(
  client: TenantSession,
  named: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  at: Instant,
): Promise<DisputeStep> {
  const head = await lockHead(client);
  const row = await lockDispute(client, named);
  if (row === undefined) return { refused: 'no_dispute' };
  if (row.state !== 'closed' || row.outcome === null) return { refused: 'state' };
  const invoice = await largestOf(client, [row.invoice_id]);
  if (invoice === undefined) return { refused: 'no_invoice' };
  const ofBreak = await breakOf(client, row);
  if (row.break_id !== null && !(await isNewest(client, ofBreak))) return { refused: 'moved_on' };
  const amountMicros = BigInt(row.amount);
  if (ofBreak === undefined && amountMicros > (await undisputedOf(client, invoice.id, BigInt(invoice.total))))
    return { refused: 'too_much' };
  const credited = row.credited === null ? undefined : BigInt(row.credited);
  const before = await amountsAfter(client, ofBreak, { amountMicros, outcome: row.outcome, credited });
  if (row.application_id !== null) await takeBackApplication(client, row.application_id);
  const closing = { outcome: null, credited_micros: null, credit_id: null, application_id: null };
  await client.models.dispute.updateMany({
    where: { organization_id: client.organizationId, id: row.id },
    data: { state: 'open', ...closing, closing_note: null, closed_by: null, closed_at: null },
  });
  if (ofBreak === undefined) {
    const open = (await largestOf(client, [row.invoice_id]))?.open ?? '0';
    const left = BigInt(open) < amountMicros ? BigInt(open) : amountMicros;
    if (left > 0n)
      await insertHold(client, { invoiceId: row.invoice_id, key: row.hold_key, amountMicros: left }, at);
  } else {
    await client.models.reconciliation_break.updateMany({
      where: { id: ofBreak.id },
      data: {
        state: 'disputed',
        resolution: 'dispute',
        difference_micros: amountMicros,
        resolved_by: by,
        resolved_at: new Date(at),
      },
    });
    await holdByVerdict(client, { ...ofBreak, differenceMicros: amountMicros, resolution: 'dispute' }, at);
  }
  const entry = caseEntry({
    entryId: timeOrderedId(at),
    row,
    ...{ before, now: amountsWhileOpen(ofBreak, amountMicros) },
    day: await dayOf(client, row.period),
    facts: { step: 'reopened', by, reason: storableText(reason) },
    at,
  });
  await appendBlock(client, head, [entry], at);
  return { id: row.id };
}

/** Whether nothing was found or decided about a difference since its case ended. */
async function isNewest(
  { models, organizationId }: TenantSession,
  row: JudgedRound | undefined,
): Promise<boolean> {
  if (row === undefined || row.state === 'gone') return false;
  if (row.resolution !== undefined && !['corrected', 'accept'].includes(row.resolution)) return false;
  const { period, fingerprint, round } = row;
  const later = { organization_id: organizationId, period, fingerprint, round: { gt: round } };
  return (await models.reconciliation_break.findFirst({ where: later })) === null;
}

function caseEntry({
  entryId,
  row,
  before,
  now,
  day,
  facts,
  at,
}: {
  readonly entryId: string;
  readonly row: Pick<DisputeRow, 'id' | 'seller' | 'currency'>;
  readonly before: AccountAmounts;
  readonly now: AccountAmounts;
  readonly day: string;
  readonly facts: JsonObject;
  readonly at: Instant;
}): LedgerEntry {
  return entryOf({
    id: entryId,
    kind: 'adjustment',
    operationId: row.id,
    seller: row.seller,
    occurredAt: at,
    postings: movedPostings(before, now, { currency: row.currency, day }),
    facts: { dispute_id: row.id, ...facts },
  });
}
