import { queryBuys, type ReadPorts } from '@switchyard/buys';
import { listAccounts, type ListAccountsRequest } from '@switchyard/protocol';
import {
  readListed,
  withoutAccount,
  type AccountsRead,
  type Connection,
  type ListedAccount,
  type SellerAccounts,
} from '@switchyard/sellers';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';

export interface ReadAccountsDeps {
  readonly ports: ReadPorts;
  readonly sellerAccounts: SellerAccounts;
  readonly clock: Clock;
}

/** Milliseconds for one page. */
const pageMs = 10_000;
/** The largest page that the task allows. */
const rowsOfPage = 100;
/** At most 2,000 accounts of one seller. */
const mostPages = 20;

/** Asks a seller for our accounts there, page by page, and stores them. */
export async function readSellerAccounts(
  deps: ReadAccountsDeps,
  caller: PrincipalCaller,
  connection: Connection,
): Promise<Result<AccountsRead, AdminFailure>> {
  const listed: ListedAccount[] = [];
  let cursor: string | undefined;
  let isWhole = false;
  for (let page = 0; page < mostPages; page += 1) {
    const read = await readPage(deps, caller, connection, cursor);
    if (!read.ok) return read;
    listed.push(...read.value.accounts);
    const { next } = read.value;
    isWhole = next === undefined;
    // A seller that gives the same cursor again would be asked for ever.
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  const accounts = [...new Map(listed.map((one) => [one.accountId, one])).values()];
  const found = { accounts, isWhole, source: 'listed' as const };
  return ok(await deps.sellerAccounts.record(scopeOf(caller), connection.id, found, deps.clock.now()));
}

async function readPage(
  { ports }: ReadAccountsDeps,
  caller: PrincipalCaller,
  connection: Connection,
  cursor: string | undefined,
): Promise<Result<{ readonly accounts: readonly ListedAccount[]; readonly next?: string }, AdminFailure>> {
  const request: ListAccountsRequest = { maxResults: rowsOfPage, ...defined({ cursor }) };
  const { legs, rows } = await queryBuys(
    ports,
    {
      scope: scopeOf(caller),
      principalId: caller.principalId,
      deadlineMs: pageMs,
      signal: new AbortController().signal,
    },
    {
      spec: listAccounts,
      // The seller lists all of them, whichever the connection uses.
      requests: new Map([[withoutAccount(connection), request]]),
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
