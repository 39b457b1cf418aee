import { Option, type Command } from 'commander';
import type { NotedHead } from '@switchyard/journal';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { InstanceClient } from '../../instance-client.js';
import { objectsIn } from '../../objects-in.js';
import { finish, printing, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { withSigner, type SignerOptions } from '../../proofs/signer-options.js';
import { readJsonFile } from '../../read-input.js';
import { queryOf } from '../../query-of.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { getPages, shownPage, withPages, type PageOptions } from '../../pages.js';
import { writeFiles } from '../../write-files.js';
import { downloadOrJob, withJob, type JobOptions } from '../jobs.js';
import { registerArchive, verifyArchive } from './ledger-archive.js';

interface SpendOptions extends TargetOptions {
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly asOf?: string;
  readonly seller?: string;
  readonly currency?: string;
  readonly format?: string;
  readonly out?: string;
}

interface VerifyOptions extends TargetOptions, SignerOptions {
  readonly archive?: string;
  readonly fromStart?: boolean;
  readonly anchors?: string;
  readonly messages?: string;
}

/** `ledger spend`, `ledger entries`, `ledger export`, `ledger verify`, `ledger archive`, `ledger anchors`. */
export function registerLedger(program: Command, deps: CliDeps): void {
  const ledger = program.command('ledger').description('spend, and verification of the ledger');
  withTarget(ledger.command('spend'))
    .description('spend by seller and currency, or by the dimensions of --by')
    .option(
      '--by <names>',
      'client, brand, campaign, seller, account, buy, package, day, week, month, period; comma-separated',
    )
    .option('--from <day>', 'first UTC day, YYYY-MM-DD')
    .option('--to <day>', 'first UTC day after the last one')
    .option('--as-of <time>', 'only what was booked until then, RFC 3339')
    .option('--seller <name>', 'only at this seller')
    .addOption(
      new Option(
        '--currency <which>',
        "in the organization's reporting currency, by the rate of each day or the last before it",
      ).choices(['reporting']),
    )
    .addOption(new Option('--format <format>', 'of a file, with --out').choices(['csv']))
    .option('--out <file>', 'where to write the file')
    .action(async (options: SpendOptions) =>
      finish(
        deps,
        options,
        await (options.format === undefined && options.out === undefined ? spend : spendFile)(deps, options),
      ),
    );
  withTarget(withPages(ledger.command('entries')))
    .description('the entries of one media buy: bought, changed, canceled, delivered')
    .argument('<media-buy>', 'id of a media buy')
    .action(printing(deps, entries));
  withJob(withTarget(ledger.command('export')))
    .description('print the whole chain as one document that can be verified offline')
    .action(atInstance(deps, exported));
  withSigner(withTarget(ledger.command('verify')))
    .description(
      'verify the chain and its sums since the last checkpoint; an export is verified without a server',
    )
    .option('--from-start', 'verify from the first entry instead of the last checkpoint')
    .option(
      '--anchors <file>',
      'signed heads, noted earlier or at the address where they are published: everything is read and held against them',
    )
    .option(
      '--messages <file>',
      'what `events export` wrote: the bytes of messages are held against an export',
    )
    .option(
      '--archive <folder>',
      'what `ledger archive` wrote: the files and the tables of DATABASE_URL are read from the first entry',
    )
    .argument('[file]', 'an export (- for standard input; default: the chain of the instance)')
    .action(async (file: string | undefined, options: VerifyOptions) =>
      finish(deps, options, await verifyWith(deps, file, options)),
    );
  registerArchive(ledger, deps);
  registerAnchors(ledger, deps);
}

function registerAnchors(ledger: Command, deps: CliDeps): void {
  const anchors = ledger.command('anchors').description('signed heads of the ledger, to be stored elsewhere');
  request(anchors, deps, 'make', {
    describe: 'sign the head of the ledger now',
    route: 'POST /v1/ledger/anchors',
    text: ({ number, hash }) => `Signed block ${cell(number)}, ${cell(hash)}.`,
  });
}

function spend(
  deps: CliDeps,
  { by, from, to, asOf, seller, currency, ...options }: SpendOptions,
): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const query = queryOf({ by, from, to, as_of: asOf, seller, currency });
    const answer = await instance.get(`/v1/ledger/spend${query}`);
    if (!answer.ok) return answer;
    const rows = objectsIn(answer.value['spend']);
    if (rows.length === 0) return ok({ json: rows, text: 'There is no spend yet.' });
    const members = Object.keys(rows[0] ?? {}).filter(
      (name) => !['spend', 'currency', 'originals', 'rates', 'rate_total', 'buy', 'package'].includes(name),
    );
    const isConverted = currency === 'reporting';
    const head = [...members.map(titleOf), 'Spend', 'Currency', ...(isConverted ? ['Of', 'Rates'] : [])];
    const cells = rows.map((row) => [
      ...members.map((name) => row[name]),
      row['spend'],
      row['currency'],
      ...(isConverted ? [originalsIn(row), ratesIn(row)] : []),
    ]);
    return ok({ json: rows, text: table(deps, head, cells) });
  });
}

function spendFile(
  deps: CliDeps,
  { by, from, to, asOf, seller, currency, format, out, ...options }: SpendOptions,
): Promise<Outcome> {
  if (format === undefined || out === undefined)
    return Promise.resolve(err({ message: 'A file needs --format csv and --out FILE.' }));
  return onInstance(deps, options, async (instance) => {
    const query = queryOf({ by, from, to, as_of: asOf, seller, currency });
    const answer = await instance.get(`/v1/ledger/spend/export${query}`);
    if (!answer.ok) return answer;
    const { file, rows } = answer.value;
    const written = writeFiles(deps, [{ name: out, content: typeof file === 'string' ? file : '' }]);
    if (!written.ok) return written;
    return ok({ json: { out, rows: rows ?? 0 }, text: `Wrote ${out}: ${cell(rows)} rows.` });
  });
}

const originalsIn = (row: JsonObject): string =>
  objectsIn(row['originals'])
    .map(({ spend, currency }) => `${cell(spend)} ${cell(currency)}`)
    .join(', ');

/** The first rates of a sum with their source; `--json` has all. */
function ratesIn(row: JsonObject): string {
  const rates = objectsIn(row['rates']);
  const shown = rates
    .slice(0, 3)
    .map(({ from, rate, date, source }) => `${cell(from)} ${cell(rate)} (${cell(date)}, ${cell(source)})`);
  const more = Number(row['rate_total'] ?? 0) - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

const titleOf = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

function entries(deps: CliDeps, id: string, options: PageOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const list = {
      path: `/v1/ledger/entries/${encodeURIComponent(id)}`,
      route: '/v1/ledger/entries/{id}',
      name: 'entries',
    };
    const page = await getPages(instance, list, {}, options);
    if (!page.ok) return page;
    const rows = page.value.rows.map((row) => {
      const facts = isJsonObject(row['facts']) ? row['facts'] : {};
      const spend = objectsIn(row['postings']).find(({ account }) => account === 'media_spend');
      return [
        row['occurred_at'],
        row['kind'],
        row['seller'],
        facts['action'],
        spend?.['amount'],
        row['entry_id'],
      ];
    });
    const head = ['Occurred', 'Kind', 'Seller', 'Action', 'Spend', 'Entry'];
    const text = rows.length === 0 ? 'There are no entries.' : table(deps, head, rows);
    const { archived_before: month } = page.value.answer;
    const archived =
      month === undefined ? '' : `\nEntries from before ${cell(month)} are archived and not listed.`;
    return shownPage(page.value, text + archived);
  });
}

const exported = (at: At<JobOptions>): Promise<Outcome> => downloadOrJob(at, '/v1/ledger/export');

async function verifyWith(deps: CliDeps, file: string | undefined, options: VerifyOptions): Promise<Outcome> {
  const { anchors: anchorSource } = options;
  if (options.archive !== undefined) {
    if (file !== undefined || anchorSource !== undefined)
      return err({ message: '--archive reads files and tables alone: leave out the export and --anchors.' });
    return verifyArchive(deps, options.archive, options.data);
  }
  const heads = anchorSource === undefined ? undefined : await loadAnchors(deps, anchorSource);
  if (heads?.ok === false) return heads;
  const document = heads?.value;
  if (file !== undefined) {
    // Loads the verifier only here, so that other commands start fast.
    const { verifyFiles } = await import('../../proofs/verify-files.js');
    const files = [file, ...(options.messages === undefined ? [] : [options.messages])];
    const noted =
      document === undefined
        ? []
        : [{ file: anchorSource ?? '', is: { kind: 'anchors' as const, document } }];
    return verifyFiles(deps, files, options, noted);
  }
  if (options.messages !== undefined)
    return err({
      message: '--messages needs an export of the ledger.',
      hint: 'npx switchyard ledger export > FILE, then: npx switchyard verify FILE MESSAGES',
    });
  const anchors = document === undefined ? ok([]) : await notedHeads(deps, document, options);
  return anchors.ok ? verify(deps, options, anchors.value) : anchors;
}

/** Heads that a verification at the instance is held against. With a key set or a fingerprint their signer must be known. */
async function notedHeads(
  deps: CliDeps,
  document: JsonValue,
  options: VerifyOptions,
): Promise<Result<readonly NotedHead[], CliFailure>> {
  const { readAnchors } = await import('../../proofs/read-anchors.js');
  const { withSigners } = await import('../../proofs/find-signer.js');
  const { heads, faults } = await readAnchors(document);
  const [fault] = faults;
  if (fault !== undefined) return err({ message: `${options.anchors ?? ''}: ${fault}` });
  if (options.jwks === undefined && options.fingerprint === undefined)
    return ok(heads.map(({ anchor }) => anchor));
  return withSigners(deps, options, async (find) => {
    for (const { key } of heads) {
      const { found, says = '' } = await find(key, undefined);
      if (found === undefined) return err({ message: `${options.anchors ?? ''}: ${says}` });
    }
    return ok(heads.map(({ anchor }) => anchor));
  });
}

/** Published heads are public: no token is sent. */
async function loadAnchors(deps: CliDeps, anchorSource: string): Promise<Result<JsonValue, CliFailure>> {
  if (/^https?:/.test(anchorSource) && URL.canParse(anchorSource)) {
    const { origin, pathname, search } = new URL(anchorSource);
    return new InstanceClient(origin, undefined).get(pathname + search);
  }
  const file = await readJsonFile(deps, anchorSource);
  return file.ok ? ok(file.value.value) : file;
}

function verify(deps: CliDeps, options: VerifyOptions, anchors: readonly NotedHead[]): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const remembered = anchors.map(({ stream, number, hash }) => ({
      stream,
      number: number.toString(),
      hash,
    }));
    const answer = await (remembered.length > 0
      ? instance.post('/v1/ledger/verify', { anchors: remembered })
      : instance.get(`/v1/ledger/verify${options.fromStart === true ? '?from_start=true' : ''}`));
    if (!answer.ok) return answer;
    const { ok: holds, entries, head, since, archived } = answer.value;
    if (holds === true) {
      // A ledger without entries has no head.
      const end = cell(head) === '' ? '' : `, head ${cell(head)}`;
      const lines = [`The ledger is intact: ${cell(entries)} entries${end}.`];
      if (isJsonObject(since))
        lines.push(
          `Read from entry ${Number(since['entries']) + 1} on; everything was last read at ${cell(since['whole_at'])} (--from-start).`,
        );
      if (isJsonObject(archived)) lines.push(archivedIn(archived));
      const json = { ok: holds, entries, head, ...(since && { since }), ...(archived && { archived }) };
      return ok({ json, text: lines.join('\n') });
    }
    const reason = cell(answer.value['reason']) || 'no reason given';
    const failed = `The ledger is not intact: ${reason}`;
    return ok({ json: answer.value, text: problemsIn(answer.value), failed });
  });
}

const archivedIn = ({ before, entries: count, unchecked_anchors: unchecked }: JsonObject): string =>
  `${cell(count)} entries from before ${cell(before)} are archived and were not read: ledger verify --archive FOLDER.` +
  (unchecked === 0 ? '' : ` ${cell(unchecked)} anchors are of that part and were not compared.`);

/** The problems that the server names, one per line with its place, and the number of the others. */
function problemsIn({ problems, problem_total: total }: JsonObject): string {
  const named = Array.isArray(problems) ? problems.filter(isJsonObject) : [];
  const lines = named.map(({ code, message, at }) => `${cell(code)} at ${cell(at)}: ${cell(message)}`);
  const more = typeof total === 'number' ? total - named.length : 0;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
