import { readDocuments, type FileReading, type ReadDocument, type ReadLine } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { FigureRepository } from '@switchyard/store';
import { rowsAtOnce, type TableRow } from '@switchyard/tables';
import { defined, inTurns, isoOf, nextTurn, type Clock } from '@switchyard/values';
import type { OpenFile } from '../platform/routes/read-file.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

interface FiguresDeps {
  readonly thirdParties: Pick<FigureRepository, 'buys'>;
  readonly clock: Clock;
}

/** Reads a report as invoices are read. Throws `TableFault` or `ReadingFault`. */
export async function recogniseFigures(
  { clock }: FiguresDeps,
  file: OpenFile,
  answers: Readonly<Record<string, string>>,
): Promise<FileReading> {
  const work = readDocuments(await file.content(answers['sheet']), {
    fileName: file.name,
    today: isoOf(clock.now()).slice(0, 10),
    answers: new Map(Object.entries(answers)),
    wants: 'figures',
  });
  return inTurns(work);
}

/** Texts that may be the id of a buy: the names of a line, and the longer words of them. */
const idsOf = ({ names }: ReadLine): readonly string[] =>
  names
    .filter(({ kind }) => kind !== 'package')
    .flatMap(({ text }) => [text, ...text.split(/\s+/).filter((word) => word.length >= 5 && word !== text)]);

/** The rows of a report in our own layout, with the id of a buy that is known where a line names one. */
export async function* figureRows(
  { thirdParties }: FiguresDeps,
  caller: PrincipalCaller,
  reading: FileReading,
): AsyncGenerator<readonly TableRow[]> {
  for (const document of reading.documents) {
    let batch: ReadLine[] = [];
    for (const line of reading.linesOf(document)) {
      batch.push(line);
      if (batch.length < rowsAtOnce) continue;
      yield await rowsOf(thirdParties, caller, document, batch);
      batch = [];
      await nextTurn();
    }
    if (batch.length > 0) yield await rowsOf(thirdParties, caller, document, batch);
  }
}

/** The days of a line, and else those that the report says for all of its lines. */
function daysOf(document: ReadDocument, line: ReadLine): { readonly from?: string; readonly to?: string } {
  const { serviceFrom, serviceTo } =
    line.serviceFrom === undefined && document.serviceBy === 'head' ? document : line;
  return defined({ from: serviceFrom, to: serviceTo });
}

async function rowsOf(
  thirdParties: FiguresDeps['thirdParties'],
  caller: PrincipalCaller,
  document: ReadDocument,
  lines: readonly ReadLine[],
): Promise<readonly TableRow[]> {
  const buys = await thirdParties.buys(caller, [...new Set(lines.flatMap(idsOf))]);
  const packages = new Map(
    buys.map(({ requestedId, packages: of }) => [requestedId, new Set(of.flatMap(({ names }) => names))]),
  );
  return lines.map((line) => {
    const candidates = idsOf(line);
    const buy = candidates.find((id) => packages.has(id)) ?? candidates[0] ?? '';
    // Platforms have an id of their own for a line, and our name as its name.
    const ofPlatform = line.names.find(({ kind }) => kind === 'package')?.text ?? '';
    const known = [ofPlatform, line.description ?? ''].find((text) => packages.get(buy)?.has(text));
    const { from = '', to = from } = daysOf(document, line);
    const counts = line.counts === undefined ? undefined : Object.fromEntries(line.counts);
    return {
      row: line.row,
      cells: {
        media_buy_id: buy,
        package_id: known ?? ofPlatform,
        day: from,
        ...(to !== from && { last_day: to }),
        currency: document.currency ?? '',
        ...(counts ?? { spend: microsToDecimal(line.amountMicros), impressions: line.units ?? '' }),
      },
    };
  });
}
