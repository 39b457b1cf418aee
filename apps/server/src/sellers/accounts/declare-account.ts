import { queryBuys, type ReadPorts } from '@switchyard/buys';
import { syncAccounts, type RequestedAccount, type SyncAccountsRequest } from '@switchyard/protocol';
import {
  readListed,
  throughLogin,
  type Connection,
  type ListedAccount,
  type SellerAccounts,
} from '@switchyard/sellers';
import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';

/** What is declared, by the names of the wire. */
export const declaredAccount = z.strictObject({
  brand_domain: z.string().min(1).max(253),
  brand_id: z.string().min(1).max(300).exactOptional(),
  operator: z.string().min(1).max(253),
  billing: z.enum(['operator', 'agent', 'advertiser']),
  payment_terms: z.enum(['net_15', 'net_30', 'net_45', 'net_60', 'net_90', 'prepay']).exactOptional(),
  sandbox: z.literal(true).exactOptional(),
});
export type DeclaredAccount = z.output<typeof declaredAccount>;

/** What the seller said of it. */
export const declaredAnswer = z.strictObject({
  effect: z.enum(['created', 'updated', 'unchanged', 'failed']),
  account_id: z.string().exactOptional(),
  status: z.string(),
  is_trial: z.boolean().describe('Whether the seller says that it stored nothing.'),
  errors: z.array(z.strictObject({ code: z.string(), says: z.string() })),
  warnings: z.array(z.string()),
});
export type DeclaredAnswer = z.output<typeof declaredAnswer>;

/** Milliseconds for the seller's answer. */
const answerMs = 15_000;
/** The longest text of a seller that is shown, in characters, and how many of them. */
const longest = 300;
const mostTexts = 20;

/** The seller with the login of a client if it has one, without an account: the declaration names its own. */
export async function declaringAs(
  sellerAccounts: Pick<SellerAccounts, 'standings'>,
  caller: PrincipalCaller,
  connection: Connection,
  clientId: string | undefined,
): Promise<Connection> {
  const { account: _none, ...bare } = connection;
  if (clientId === undefined) return bare;
  const [standing] = await sellerAccounts.standings(scopeOf(caller), clientId, [connection.id]);
  return throughLogin(bare, standing?.login);
}

/** Declares one account at a seller, or asks what it would do (`dry_run`). */
export async function declareAt(
  ports: ReadPorts,
  caller: PrincipalCaller,
  connection: Connection,
  wanted: { readonly account: DeclaredAccount; readonly key: string; readonly dryRun: boolean },
): Promise<
  Result<{ readonly answer: DeclaredAnswer; readonly accounts: readonly ListedAccount[] }, AdminFailure>
> {
  const request: SyncAccountsRequest = {
    accounts: [requestedOf(wanted.account)],
    idempotencyKey: wanted.key,
    deleteMissing: false,
    dryRun: wanted.dryRun,
  };
  const { legs, rows } = await queryBuys(
    ports,
    {
      scope: scopeOf(caller),
      principalId: caller.principalId,
      deadlineMs: answerMs,
      signal: new AbortController().signal,
    },
    {
      spec: syncAccounts,
      requests: new Map([[connection, request]]),
      count: ({ accounts }) => accounts.length,
    },
  );
  const { answer, payloads } = legs[0] ?? {};
  const [row] = answer?.accounts ?? [];
  if (answer === undefined || row === undefined)
    return err({
      code: rows[0]?.code === 'NOT_OFFERED' ? 'CONFLICT' : 'UNAVAILABLE',
      message: `The seller ${connection.slug} took no declaration of an account: ${rows[0]?.reason ?? 'it was not asked.'}`,
      field: 'slug',
    });
  return ok({
    answer: {
      effect: row.action,
      ...defined({ account_id: row.accountId }),
      status: row.status,
      is_trial: answer.dryRun,
      errors: row.errors
        .slice(0, mostTexts)
        .map(({ code, message }) => ({ code, says: message.slice(0, longest) })),
      warnings: row.warnings.slice(0, mostTexts).map((text) => text.slice(0, longest)),
    },
    accounts: readListed(payloads?.[0]?.['accounts']),
  });
}

function requestedOf(account: DeclaredAccount): RequestedAccount {
  return {
    brandDomain: account.brand_domain,
    brandId: account.brand_id ?? '',
    operator: account.operator,
    billing: account.billing,
    sandbox: account.sandbox === true,
    unused: [],
    ...defined({ paymentTerms: account.payment_terms }),
  };
}

/** A stored declaration was checked when it was made. */
export const storedAccount = (account: JsonObject): DeclaredAccount => declaredAccount.parse(account);
