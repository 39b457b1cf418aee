import { roundToMicros } from '@switchyard/money';
import { findBasis, findFactor, type Basis } from './amount-basis.js';
import { findFormats, type ColumnFormats } from './column-formats.js';
import { planColumns } from './column-plan.js';
import { findTable, type FoundTable } from './find-table.js';
import { gatherRows, type Gathered } from './gather-rows.js';
import { isTaxLabel, totalOfWords } from './header-words.js';
import { judgeDocuments } from './judge-documents.js';
import {
  findSigns,
  headTexts,
  linesOf,
  makeDocument,
  type DocumentContext,
  type MadeDocument,
} from './make-document.js';
import { standingGrid } from './standing-grid.js';
import { numberReadings } from './number-formats.js';
import {
  faultsAtMost,
  linesInPreview,
  linesKept,
  type FileReading,
  type Recognised,
  type ReadingOptions,
  type RecognisedColumn,
} from './reading.js';
import { rowReader, type Factor } from './row-reader.js';
import { rangeAround, zoneAround } from './service-days.js';
import { ReadingFault, textOfCell, type Grid } from './split-rows.js';

/** Reads the documents of a table. It pauses between steps; throws `ReadingFault` where there is no table. */
export function* readTable(
  given: Grid,
  recognised: Pick<Recognised, 'format' | 'encoding' | 'separator' | 'sheet'>,
  options: ReadingOptions,
): Generator<void, FileReading> {
  const grid = standingGrid(given) ?? given;
  const table = findTable(grid);
  if (table === undefined) throw new ReadingFault('The file holds no table: no row of it is a header.');
  const { answers } = options;
  const plan = yield* planColumns(grid, table, options);
  const formats = yield* findFormats(grid, table, plan, options);
  const factor = yield* findFactor(grid, table, plan, options);
  const reader = rowReader(grid, table, plan, formats, factor.factor);
  const found = yield* findBasis(grid, reader, table, plan, options);
  const basis: Basis = found.basis;
  const gathered = yield* gatherRows({ grid, table, plan, reader, basis, answers });
  takeTaxOfHead(gathered, table);
  const signs = findSigns(gathered, { plan, table, answers });
  const order = formats.orderAround;
  const range = rangeAround(table.around, order);
  const context: DocumentContext = {
    grid,
    plan,
    table,
    options,
    range,
    order,
    basis,
    reader,
    signs,
    head: headTexts(table),
    linesEach: Math.min(linesInPreview, Math.ceil(linesKept / Math.max(1, gathered.groups.length))),
  };
  const documents: MadeDocument[] = [];
  for (const group of gathered.groups) {
    documents.push(yield* makeDocument(group, context));
    yield;
  }
  const before = [
    ...plan.questions,
    ...formats.questions,
    ...factor.questions,
    ...found.questions,
    ...signs.questions,
  ];
  const open = new Set(before.map(({ id }) => id));
  const judged = yield* judgeDocuments(documents, gathered, context, { isCut: grid.cut !== undefined, open });
  const cut =
    grid.cut === undefined
      ? []
      : [{ row: Math.max(1, grid.cut.row - table.header), reason: grid.cut.reason }];
  return {
    recognised: recognisedOf(recognised, context, { grid, formats, factor: factor.factor }),
    documents: documents.map(({ document }) => document),
    questions: [...before, ...judged.questions],
    checks: judged.checks,
    faults: [...formats.faults, ...gathered.faults, ...judged.faults, ...cut].slice(0, faultsAtMost),
    linesOf: (document) => {
      const made = documents.find((one) => one.document === document);
      return made === undefined ? [] : linesOf(made.group, context);
    },
  };
}

/** The tax of the only document may stand above its table, between its net and its gross. */
function takeTaxOfHead({ groups, totals }: Gathered, { head }: FoundTable): void {
  const [group, another] = groups;
  if (group === undefined || another !== undefined || group.taxMicros !== 0n || totals.length > 0) return;
  const amounts = head.flatMap(({ label, text }) => {
    const { point, comma } = numberReadings(text);
    const read =
      point === undefined || (comma !== undefined && comma !== point) ? undefined : roundToMicros(point);
    return read?.ok === true ? [{ label, micros: read.value }] : [];
  });
  const taxes = amounts.filter(({ label }) => isTaxLabel(label));
  const tax = taxes.reduce((sum, { micros }) => sum + micros, 0n);
  const isGross = amounts.some(
    ({ label, micros }) => totalOfWords(label) !== undefined && micros === group.netMicros + tax,
  );
  if (tax !== 0n && isGross) group.headTotals.get('document_tax')?.add(tax);
}

function recognisedOf(
  { format, encoding, separator, sheet }: Pick<Recognised, 'format' | 'encoding' | 'separator' | 'sheet'>,
  { table, plan }: DocumentContext,
  {
    grid,
    formats,
    factor,
  }: { readonly grid: Grid; readonly formats: ColumnFormats; readonly factor: Factor },
): Recognised {
  const zone = zoneAround(table.around);
  const fieldAt = new Map([
    ...[...plan.columns].map(([field, at]) => [at, field] as const),
    ...plan.taxes.map((at) => [at, 'tax'] as const),
    ...(plan.credits === undefined ? [] : [[plan.credits, 'amount'] as const]),
  ]);
  const columns = table.names.map((column, at): RecognisedColumn => {
    const written = formats.marks.get(at) ?? formats.orders.get(at);
    return {
      column,
      field: fieldAt.get(at) ?? null,
      by: plan.by.get(at) ?? 'none',
      ...(written !== undefined && { format: written }),
      values: valuesOf(grid, table, at),
    };
  });
  const amount = plan.columns.get('net') ?? plan.columns.get('amount') ?? plan.columns.get('gross');
  const numbers = amount === undefined ? undefined : formats.marks.get(amount);
  return {
    format,
    ...(encoding !== undefined && { encoding }),
    ...(separator !== undefined && { separator }),
    ...(sheet !== undefined && { sheet }),
    ...(plan.preset !== undefined && { preset: plan.preset.id }),
    headerRow: table.header + 1,
    ...(zone !== undefined && { zone }),
    ...(factor !== 'units' && { factor }),
    ...(numbers !== undefined && { numbers }),
    columns,
  };
}

function valuesOf(grid: Grid, table: FoundTable, at: number): readonly string[] {
  const values: string[] = [];
  for (let row = table.from; row < table.to && values.length < 3 && row < table.from + 20; row += 1) {
    const text = textOfCell(grid.cells(row)[at]);
    if (text !== '') values.push(text.slice(0, 200));
  }
  return values;
}
