import {
  billedDays,
  breakResolutions,
  proposedDecision,
  type BookedInvoice,
  type PackageFigures,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import {
  type BreakRepository,
  type InvoiceRepository,
  type readFigures,
  type StoredBreak,
} from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { err, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { day } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { noBreak } from './no-break.js';

interface BreakEvidenceDeps {
  readonly breaks: Pick<BreakRepository, 'list' | 'preview'>;
  readonly invoices: Pick<InvoiceRepository, 'ofPeriod'>;
  readonly figures: (
    scope: Parameters<typeof readFigures>[1],
    wanted: Parameters<typeof readFigures>[2],
  ) => ReturnType<typeof readFigures>;
}

const resolution = z.enum(breakResolutions);

const evidence = z.strictObject({
  break_id: z.string(),
  delivered: z
    .strictObject({
      amount: z.string(),
      units: z.string().describe('Impressions.'),
      reports: z.int().describe('How many report versions count.'),
      days: z.array(
        z.strictObject({
          day,
          amount: z.string(),
          is_invoiced: z.boolean().describe('Whether the invoices have this day, as far as the amounts say.'),
        }),
      ),
    })
    .exactOptional()
    .describe('Absent where the difference is about no buy.'),
  lines: z
    .array(
      z.strictObject({
        invoice_id: z.string(),
        number: z.string(),
        line: z.int(),
        amount: z.string(),
        units: z.string().exactOptional(),
      }),
    )
    .describe('The lines of invoices that bill it, 100 at most.'),
  proposal: z
    .strictObject({ as: resolution, because: z.string() })
    .exactOptional()
    .describe('What is usually decided; absent where its kind does not say it.'),
  decisions: z
    .array(
      z.strictObject({
        as: resolution,
        postings: z.array(z.strictObject({ account: z.string(), amount: z.string() })),
      }),
    )
    .describe('What the ledger would post for each decision. Empty where the difference is not open.'),
});

const linesShown = 100;
const route = routesOn<BreakEvidenceDeps>();

/** What one difference was found from, and what each decision about it would do. Nothing is changed. */
export const breakEvidenceRoutes = [
  route({
    method: 'get',
    path: '/v1/breaks/{id}/evidence',
    id: 'show_break_evidence',
    summary: 'What one difference was found from, by days and lines, and what each decision would post',
    needs: 'ledger.read',
    answer: evidence,
    example: {
      break_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
      delivered: {
        amount: '300',
        units: '30000',
        reports: 30,
        days: [{ day: '2026-09-01', amount: '10', is_invoiced: false }],
      },
      lines: [],
      proposal: { as: 'expected', because: 'It was delivered, and its invoice has not come yet.' },
      decisions: [{ as: 'expected', postings: [] }],
    },
    handle: (deps, { caller, params: { id } }) => show(deps, caller, id),
  }),
];

async function show(
  { breaks, invoices, figures }: BreakEvidenceDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<z.output<typeof evidence>, AdminFailure>> {
  const reach = reachOf(caller, 'ledger', 'read');
  const [found] = isUuid(id) ? await breaks.list(caller, { reach, id, limit: 1 }) : [];
  if (found === undefined) return err(noBreak);
  const { period, seller, mediaBuyId } = found;
  const billed = await invoices.ofPeriod(caller, period, seller);
  const { packages, look } =
    mediaBuyId === undefined
      ? { packages: [], look: () => Promise.resolve() }
      : await figures(caller, { period, seller, invoices: billed, buys: [mediaBuyId] });
  const own = packages.filter(
    ({ packageRef }) => found.packageRef === undefined || packageRef === found.packageRef,
  );
  await look(own);
  const proposal = proposedDecision(found);
  return ok({
    break_id: found.id,
    ...(own.length > 0 && { delivered: deliveredOf(found, own) }),
    lines: linesOf(found, own, billed).slice(0, linesShown),
    ...(proposal !== undefined && found.state === 'open' && { proposal }),
    decisions: (await breaks.preview(caller, id)).map(({ as, postings }) => ({
      as,
      postings: postings.map(({ account, amountMicros }) => ({
        account,
        amount: microsToDecimal(amountMicros),
      })),
    })),
  });
}

function deliveredOf(found: StoredBreak, own: readonly PackageFigures[]) {
  const sum = (pick: (figures: PackageFigures) => bigint): bigint =>
    own.reduce((all, figures) => all + pick(figures), 0n);
  return {
    amount: microsToDecimal(sum(({ countedMicros }) => countedMicros)),
    units: sum(({ units = 0n }) => units).toString(),
    reports: own.reduce((all, figures) => all + figures.evidence.length, 0),
    days: billedDays(found.period, found, own).map(({ day: of, micros, isInvoiced }) => ({
      day: of,
      amount: microsToDecimal(micros),
      is_invoiced: isInvoiced,
    })),
  };
}

/** The lines of the buy's part at the seller; where the difference names no buy, those of the invoices that it names. */
function linesOf(found: StoredBreak, own: readonly PackageFigures[], billed: readonly BookedInvoice[]) {
  const ids = new Set(own.map(({ sellerMediaBuyId }) => sellerMediaBuyId));
  return billed.flatMap((invoice) =>
    invoice.lines
      .filter(({ sellerMediaBuyId, packageRef }) =>
        found.mediaBuyId === undefined
          ? found.evidence.includes(invoice.id)
          : sellerMediaBuyId !== undefined &&
            ids.has(sellerMediaBuyId) &&
            (found.packageRef === undefined || packageRef === undefined || packageRef === found.packageRef),
      )
      .map(({ line, amountMicros, units }) => ({
        invoice_id: invoice.id,
        number: invoice.number,
        line,
        amount: microsToDecimal(amountMicros),
        ...(units !== undefined && { units: units.toString() }),
      })),
  );
}
