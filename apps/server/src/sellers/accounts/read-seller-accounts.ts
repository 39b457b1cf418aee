import { queryBuys, type ReadPorts } from '@switchyard/buys';
import { listAccounts, type ListAccountsRequest } from '@switchyard/protocol';
import {
  readListed,
  throughLogin,
  withoutAccount,
  type AccountsRead,
  type ClientLogin,
  type Connection,
  type ListedAccount,
  type SellerAccounts,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../platform/failure.js';

export interface ReadAccountsDeps {
  readonly ports: ReadPorts;
  readonly sellerAccounts: SellerAccounts;
  readonly clock: Clock;
}

/** For whom a seller is asked: the workers ask for an organization, without a principal. */
type Asker = TenantScope & { readonly principalId?: string };

/** Milliseconds for one page. */
const pageMs = 10_000;
/** The largest page that the task allows. */
const rowsOfPage = 100;
/** At most 2,000 accounts of one seller. */
const mostPages = 20;

/**
 * Asks a seller for our accounts there, page by page, with the login of the connection and with each that a client has of
 * its own, and stores them. One login that gets no answer leaves its accounts as they were.
 */
export async function readSellerAccounts(
  deps: ReadAccountsDeps,
  asker: Asker,
  connection: Connection,
): Promise<Result<AccountsRead, AdminFailure>> {
  const scope = { organizationId: asker.organizationId };
  const logins = await everyLogin(deps, scope, connection.id);
  // The seller lists all of them, whichever the connection uses.
  const common = withoutAccount(connection);
  const through = [common, ...logins.map((login) => throughLogin(common, login))];
  const read: Result<Listing, AdminFailure>[] = [];
  for (let at = 0; at < through.length; at += loginsAtOnce) {
    const some = through.slice(at, at + loginsAtOnce);
    read.push(...(await Promise.all(some.map((login) => readListing(deps, asker, login)))));
  }
  const listings = read.flatMap((one) => (one.ok ? [one.value] : []));
  const [first] = read;
  if (listings.length === 0 && first?.ok === false) return first;
  const accounts = new Map(
    listings.flatMap(({ accounts: rows }) => rows.map((row) => [row.accountId, row] as const)),
  );
  const isWhole = read.every((one) => one.ok && one.value.isWhole);
  const found = { accounts: [...accounts.values()], isWhole, source: 'listed' as const };
  return ok(await deps.sellerAccounts.record(scope, connection.id, found, deps.clock.now()));
}

async function everyLogin(
  { sellerAccounts }: Pick<ReadAccountsDeps, 'sellerAccounts'>,
  scope: TenantScope,
  connectionId: string,
): Promise<readonly ClientLogin[]> {
  const all: ClientLogin[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = { limit: 500, ...(last && { after: [last.clientId] }) };
    const logins = await sellerAccounts.logins(scope, connectionId, page);
    all.push(...logins);
    if (logins.length < page.limit) return all;
  }
}

/** Logins that one seller is asked with at the same time. */
const loginsAtOnce = 8;

interface Listing {
  readonly accounts: readonly ListedAccount[];
  readonly isWhole: boolean;
}

async function readListing(
  deps: ReadAccountsDeps,
  asker: Asker,
  connection: Connection,
): Promise<Result<Listing, AdminFailure>> {
  const listed: ListedAccount[] = [];
  let cursor: string | undefined;
  let isWhole = false;
  for (let page = 0; page < mostPages; page += 1) {
    const read = await readPage(deps, asker, connection, cursor);
    if (!read.ok) return read;
    listed.push(...read.value.accounts);
    const { next } = read.value;
    isWhole = next === undefined;
    // A seller that gives the same cursor again would be asked for ever.
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return ok({ accounts: listed, isWhole });
}

async function readPage(
  { ports }: ReadAccountsDeps,
  asker: Asker,
  connection: Connection,
  cursor: string | undefined,
): Promise<Result<{ readonly accounts: readonly ListedAccount[]; readonly next?: string }, AdminFailure>> {
  const request: ListAccountsRequest = { maxResults: rowsOfPage, ...defined({ cursor }) };
  const { legs, rows } = await queryBuys(
    ports,
    {
      scope: { organizationId: asker.organizationId },
      ...defined({ principalId: asker.principalId }),
      deadlineMs: pageMs,
      signal: new AbortController().signal,
    },
    {
      spec: listAccounts,
      requests: new Map([[connection, request]]),
      count: ({ accounts }) => accounts.length,
    },
  );
  const { answer, payloads } = legs[0] ?? {};
  if (answer === undefined) {
    const [row] = rows;
    return err({
      code: row?.code === 'NOT_OFFERED' ? 'CONFLICT' : 'UNAVAILABLE',
      message: `The seller ${connection.slug} did not list our accounts: ${row?.reason ?? 'it was not queried.'}`,
      field: 'slug',
      ...(row?.code === 'NOT_OFFERED'
        ? { suggestion: 'Name our account there: switchyard sellers edit SLUG --account ID' }
        : {}),
    });
  }
  return ok({ accounts: readListed(payloads?.[0]?.['accounts']), ...defined({ next: answer.cursor }) });
}
