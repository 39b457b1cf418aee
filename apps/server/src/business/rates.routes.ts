import { isRate } from '@switchyard/buys';
import { derivedRates, ratesOfEcb, ratesOfEcbXml } from '@switchyard/ledger';
import { isCurrency } from '@switchyard/money';
import { lists } from '@switchyard/store';
import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { rowsOfText, xmlOfText } from '../platform/routes/read-file.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { day, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource } from '../platform/routes/resource.js';
import { routesOn, type WaitsForApproval } from '../platform/routes/route.js';

/** The price of one unit of `from` in `to`, valid from its date until a newer rate. */
const rate = z.strictObject({
  from: z.string().length(3),
  to: z.string().length(3),
  rate: z.string().describe('Decimal text, exactly as entered.'),
  date: day,
  source: reasonText,
});

const asWritten = {
  as_written: z
    .literal(true)
    .exactOptional()
    .describe(
      'The rates are right, though one is more than 1.5 times the rate before it or below two thirds.',
    ),
};

const asWrittenOf = (said: true | undefined): { readonly asWritten?: true } =>
  said === true ? { asWritten: true } : {};

const { routes: listed } = resource(lists.rateList, {
  noun: 'rate',
  plural: 'rates',
  area: 'ledger',
  summary: 'Exchange rates, by date',
  example: { from: 'EUR', to: 'USD', rate: '1.1612', date: '2026-11-20', source: 'ECB' },
  command: {
    title: 'exchange rates for limits and reports',
    summary: 'list rates, newest first',
    columns: { From: 'from', To: 'to', Rate: 'rate', Date: 'date', Source: 'source' },
    none: 'There are no rates.',
    isAnswer: true,
  },
});

const imported = z.strictObject({
  imported: z.int(),
  refused: z.array(z.strictObject({ row: z.int(), reason: z.string() })),
  ...aloneMember,
});

const route = routesOn<ControlDeps>();

/** Exchange rates, used by limits for amounts in other currencies and by reports for conversion. */
export const rateRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/rates',
    id: 'set_rate',
    summary:
      'Enter an exchange rate; it replaces one of the same day, and another person approves one that makes room under limits',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({ ...rate.shape, ...asWritten }),
    answer: z.strictObject({ ...rate.shape, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, body: { as_written: isSure, ...body } }) => {
      // A rate applies to the limits of every client.
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const wrong = [body.from, body.to].findIndex((code) => !isCurrency(code));
      if (wrong >= 0)
        return err(invalid(wrong === 0 ? 'from' : 'to', 'This is not a currency code of ISO 4217.'));
      if (body.from === body.to) return err(invalid('to', 'A rate needs two different currencies.'));
      if (!isRate(body.rate)) return err(invalid('rate', 'A rate must be a decimal number above zero.'));
      const taken = await takeControl(deps, caller, {
        kind: 'set_rates',
        rates: [body],
        ...asWrittenOf(isSure),
      });
      return 'answer' in taken ? taken.answer : ok({ ...body, ...aloneOf(taken) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/rates/import',
    id: 'import_rates',
    summary: 'Enter the exchange rates of a file, all or none; those of the same days are replaced',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      file: z.strictObject({
        name: z.string().min(1).max(255),
        text: z
          .string()
          .min(1)
          .describe(
            'CSV with the columns from, to, rate, date and source, a JSON array of such objects, or a file of the ECB, CSV or XML.',
          ),
      }),
      source: reasonText.exactOptional().describe('Of rows that name none.'),
      ...asWritten,
    }),
    answer: imported,
    mayWait: true,
    example: { imported: 2, refused: [] },
    handle: (deps, { caller, body }) => importRates(deps, caller, body),
  }),
];

/** The most rates in one file. */
const rowsAtMost = 10_000;

/** The most refusals shown for one file. */
const refusalsShown = 100;

interface FileOfRates {
  readonly file: { readonly text: string };
  readonly source?: string;
  readonly as_written?: true;
}

async function importRates(
  deps: ControlDeps,
  caller: PrincipalCaller,
  { file, source = '', as_written: isSure }: FileOfRates,
): Promise<Result<z.output<typeof imported> | WaitsForApproval, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', 'write');
  if (narrow !== undefined) return err(narrow);
  const xml = await xmlOfText(file.text);
  if (!xml.ok) return xml;
  if (xml.value !== undefined) {
    const read = ratesOfEcbXml(xml.value);
    return read === undefined
      ? err(invalid('file.text', 'Of XML documents, those with rates of the ECB are read.'))
      : importPublished(deps, caller, read, { source, isSure });
  }
  const rows = await rowsOfText(file.text, { rows: rowsAtMost });
  if (!rows.ok) return rows;
  if (rows.value.length === 0) return err(invalid('file.text', 'The file has no rows.'));
  const published = ratesOfEcb(rows.value.map(({ cells }) => cells));
  if (published !== undefined) return importPublished(deps, caller, published, { source, isSure });
  const refused: { row: number; reason: string }[] = [];
  const rates = new Map<string, z.output<typeof rate>>();
  for (const { row: at, cells: row } of rows.value) {
    const own = {
      from: (row['from'] ?? '').trim().toUpperCase(),
      to: (row['to'] ?? '').trim().toUpperCase(),
      rate: (row['rate'] ?? '').trim(),
      date: (row['date'] ?? '').trim(),
      source: (row['source'] ?? '').trim() || source,
    };
    const key = `${own.from} ${own.to} ${own.date}`;
    const reason = rates.has(key) ? `The file has two rates for ${key}.` : faultOf(own);
    if (reason === undefined) rates.set(key, own);
    else refused.push({ row: at, reason });
  }
  if (refused.length > 0) return ok({ imported: 0, refused: refused.slice(0, refusalsShown) });
  const taken = await takeControl(deps, caller, {
    kind: 'set_rates',
    rates: [...rates.values()],
    ...asWrittenOf(isSure),
  });
  return 'answer' in taken ? taken.answer : ok({ imported: rates.size, refused: [], ...aloneOf(taken) });
}

/** Rates of the ECB, and what follows from them: the other direction, and the crosses of a day. */
async function importPublished(
  deps: ControlDeps,
  caller: PrincipalCaller,
  published: ReturnType<typeof ratesOfEcb> & object,
  { source, isSure }: { readonly source: string; readonly isSure: true | undefined },
): Promise<Result<z.output<typeof imported> | WaitsForApproval, AdminFailure>> {
  const rates = [...published, ...derivedRates(published)].map((one) => ({
    ...one,
    source: source === '' ? one.source : one.source.replace(/ECB$/, source),
  }));
  const [first] = rates;
  const wrong = rates.flatMap((one, at) => {
    const reason = faultOf(one);
    return reason === undefined ? [] : [{ row: at + 1, reason }];
  });
  if (first === undefined) return err(invalid('file.text', 'The file has no rates.'));
  if (wrong.length > 0) return ok({ imported: 0, refused: wrong.slice(0, refusalsShown) });
  if (rates.length > rowsAtMost)
    return err(invalid('file.text', `The file makes more than ${rowsAtMost} rates. Take fewer days.`));
  const taken = await takeControl(deps, caller, { kind: 'set_rates', rates, ...asWrittenOf(isSure) });
  return 'answer' in taken ? taken.answer : ok({ imported: rates.length, refused: [], ...aloneOf(taken) });
}

function faultOf(own: z.output<typeof rate>): string | undefined {
  if (!isCurrency(own.from)) return 'from is no currency of ISO 4217.';
  if (!isCurrency(own.to)) return 'to must be a currency code of ISO 4217.';
  if (own.from === own.to) return 'A rate needs two different currencies.';
  if (!isRate(own.rate)) return 'rate must be a decimal number above zero.';
  if (!day.safeParse(own.date).success) return 'date must be a day such as 2026-11-30.';
  if (!reasonText.safeParse(own.source).success)
    return 'The row has no source, and the file has none either.';
  return undefined;
}

function invalid(field: string, message: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message, field };
}
