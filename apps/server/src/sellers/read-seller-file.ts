import { Buffer } from 'node:buffer';
import {
  mostSellersInFile,
  readAdsTxt,
  readFindInput,
  readSellerDocument,
  readSellerTable,
  siteOfUrl,
  type NamedSeller,
  type SellerFile,
} from '@switchyard/sellers';
import { slugPattern } from '@switchyard/protocol';
import { csvRows, TableFault, usualLimits, workbookRowsInThread, type TableRow } from '@switchyard/tables';
import { err, ok, parseStrictJson, type Clock, type Result } from '@switchyard/values';
import type { AdminFailure } from '../platform/failure.js';
import { slugOf } from './gate/slug-of.js';

/** A file of sellers as a request has it: text, or the bytes of a workbook in Base64. */
export interface GivenFile {
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
}

/**
 * Reads a file that names sellers: a table (CSV or XLSX), the configuration of an MCP client, an adagents.json, a
 * sellers.json or an ads.txt. Its content decides which, and its name nothing.
 */
export async function readSellerFile(
  { clock }: { readonly clock: Clock },
  given: GivenFile,
): Promise<Result<SellerFile, AdminFailure>> {
  const bytes =
    given.base64 === undefined ? Buffer.from(given.text ?? '', 'utf8') : Buffer.from(given.base64, 'base64');
  const read = await readBytes(bytes, clock.now());
  if (!read.ok) return read;
  const { sellers, leftOut } = read.value;
  return sellers.length + leftOut.length > mostSellersInFile
    ? err(refused(`The file names more than ${mostSellersInFile} sellers.`, 'Send it in parts.'))
    : read;
}

async function readBytes(bytes: Buffer, now: number): Promise<Result<SellerFile, AdminFailure>> {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004')
    return tableOf((limits) => workbookRowsInThread(bytes, limits));
  const start = bytes
    .subarray(0, 200)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.startsWith('{')) {
    const parsed = parseStrictJson(withoutMark(bytes));
    if (!parsed.ok) return err(refused(`The file is not usable JSON: ${parsed.error.message}`));
    const file = readSellerDocument(parsed.value.value, now);
    return file === undefined ? err(refused(unknownDocument)) : ok(file);
  }
  if (start.startsWith('['))
    return err(refused('A JSON array of sellers is imported with POST /v1/sellers/import.'));
  const lines = readAdsTxt(bytes.toString('utf8'));
  return lines === undefined ? tableOf((limits) => csvRows(one(bytes), limits)) : ok(lines);
}

const unknownDocument =
  'The JSON has neither mcpServers, authorized_agents nor sellers, so no sellers can be read from it.';

const limits = { ...usualLimits, rows: mostSellersInFile };

async function tableOf(
  open: (within: typeof limits) => AsyncGenerator<readonly TableRow[]>,
): Promise<Result<SellerFile, AdminFailure>> {
  const rows: TableRow[] = [];
  try {
    for await (const some of open(limits)) rows.push(...some);
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    const at = error.row === undefined ? '' : ` (row ${error.row})`;
    return err(refused(`${error.message}${at}`));
  }
  const file = readSellerTable(rows);
  return file === undefined
    ? err(refused('No column has addresses or domains.', 'Name it "agent url" or "domain" in the first row.'))
    : ok(file);
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, 3).toString('hex') === 'efbbbf' ? bytes.subarray(3) : bytes;

const refused = (message: string, suggestion?: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message,
  field: 'file',
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** A seller of a file with the slug that it would have here. */
export interface SluggedSeller {
  readonly seller: NamedSeller;
  readonly slug: string;
  /** True where an agent at this address is here already, under the slug. */
  readonly isKnown: boolean;
}

/** What is here already, by slug. */
export interface KnownSeller {
  readonly slug: string;
  readonly agentUrl: string;
  /** A removed one keeps its slug, because history refers to it. */
  readonly state: string;
}

/** Gives each seller a slug that nobody has. One whose address is here already keeps its own, and is not imported. */
export function withSlugs(
  sellers: readonly NamedSeller[],
  here: readonly KnownSeller[],
): readonly SluggedSeller[] {
  const byUrl = new Map(
    here.filter(({ state }) => state !== 'removed').map(({ agentUrl, slug }) => [agentUrl, slug]),
  );
  const taken = new Set(here.map(({ slug }) => slug));
  return sellers.map((seller) => {
    const place = readFindInput(seller.input);
    const known = place.ok ? byUrl.get(place.value.url) : undefined;
    if (known !== undefined) return { seller, slug: known, isKnown: true };
    const wanted = slugFor(seller, place.ok ? siteOfUrl(place.value.url) : 'seller');
    let slug = wanted;
    for (let at = 2; taken.has(slug); at += 1) slug = `${wanted.slice(0, 57)}-${at}`;
    taken.add(slug);
    return { seller, slug, isKnown: false };
  });
}

function slugFor({ name }: NamedSeller, domain: string): string {
  const made = (name ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return slugPattern.test(made) ? made : slugOf(domain);
}
