import { createHash } from 'node:crypto';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import {
  canonicalJson,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

const statementFormat = 'switchyard.statement.1';
/** The signed document of a statement as CSV, XLSX or PDF: `sha256`, `bytes`, `media_type`, `statement_digest`. */
export const statementFileFormat = 'switchyard.statement-file.1';

/** The subject of a statement. */
export interface StatementScope {
  readonly kind: 'organization' | 'client' | 'brand' | 'campaign' | 'seller';
  /** Empty for the organization. */
  readonly id: string;
}

/** Spend of one seller on one buy in the period. Unknown members are left out. */
interface StatementLine {
  readonly client?: string;
  readonly brand?: string;
  readonly campaign?: string;
  readonly seller: string;
  /** The account at the seller: its id, else brand and operator. */
  readonly account?: string;
  readonly media_buy_id?: string;
  readonly currency: string;
  readonly spendMicros: bigint;
  /** As the seller reported them; absent where nobody counted any. */
  readonly impressions?: bigint;
}

/** What a campaign was planned to spend in the period. */
interface StatementPlan {
  readonly client?: string;
  readonly campaign: string;
  readonly currency: string;
  readonly plannedMicros: bigint;
}

interface StatementDraft {
  readonly organization: string;
  readonly period: string;
  readonly scope: StatementScope;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly state: 'open' | 'soft_closed' | 'closed';
  readonly lines: readonly StatementLine[];
  readonly breaks: readonly JsonObject[];
  readonly invoices: readonly JsonObject[];
  /** Names of what the scope is about and of sellers by their slugs. */
  readonly names: { readonly scope: string; readonly sellers: Readonly<Record<string, string>> };
  /** IANA names of the time zones whose days figures stand on, beside UTC. */
  readonly zones: readonly string[];
  /** Spend by day. */
  readonly days: readonly {
    readonly day: string;
    readonly currency: string;
    readonly spendMicros: bigint;
    readonly plannedMicros?: bigint;
  }[];
  /** Absent or empty: nothing was planned, or the statement is of more than its plan can be read for. */
  readonly plans?: readonly StatementPlan[];
  /** Written by a person, for whom it is made. */
  readonly note?: string;
  /** The head of the ledger: number of blocks, and hash of the newest one. */
  readonly head: { readonly number: string; readonly hash: string };
}

/** The signed document. Amounts are decimal text; totals are the sums of the lines, by currency. */
export function statementDocument(draft: StatementDraft): JsonObject {
  const totals = new Map<string, bigint>();
  for (const { currency, spendMicros } of draft.lines)
    totals.set(currency, (totals.get(currency) ?? 0n) + spendMicros);
  return {
    format: statementFormat,
    organization: draft.organization,
    period: draft.period,
    period_state: draft.state,
    scope: { ...draft.scope },
    made_at: draft.madeAt,
    lines: draft.lines.map(({ spendMicros, impressions, ...line }) => ({
      ...line,
      spend: microsToDecimal(spendMicros),
      ...(impressions !== undefined && { impressions: impressions.toString() }),
    })),
    totals: [...totals].sort().map(([currency, sum]) => ({ currency, spend: microsToDecimal(sum) })),
    days: draft.days.map(({ spendMicros, plannedMicros, ...day }) => ({
      ...day,
      spend: microsToDecimal(spendMicros),
      ...(plannedMicros !== undefined && { planned: microsToDecimal(plannedMicros) }),
    })),
    ...((draft.plans?.length ?? 0) > 0 && {
      plans: (draft.plans ?? []).map(({ plannedMicros, ...plan }) => ({
        ...plan,
        planned: microsToDecimal(plannedMicros),
      })),
    }),
    ...(draft.note !== undefined && { note: draft.note }),
    zones: [...draft.zones],
    names: { scope: draft.names.scope, sellers: { ...draft.names.sellers } },
    breaks: [...draft.breaks],
    invoices: [...draft.invoices],
    ledger_head: { ...draft.head },
  };
}

/** SHA-256 of the document's canonical text (RFC 8785), hexadecimal. */
export function statementDigest(document: JsonObject): string {
  return createHash('sha256').update(canonicalJson(document), 'utf8').digest('hex');
}

/**
 * Returns the arithmetic errors of a statement: totals that are not the sums of the lines, or invalid
 * amounts. The signature is checked separately. The error names the member that is missing or invalid.
 */
export function statementProblems(document: JsonValue): Result<readonly string[], string> {
  if (!isJsonObject(document) || document['format'] !== statementFormat) return err('format');
  const lines = objects(document['lines']);
  const totals = objects(document['totals']);
  if (lines === undefined) return err('lines');
  if (totals === undefined) return err('totals');
  const problems: string[] = [];
  const sums = new Map<string, bigint>();
  lines.forEach((line, at) => {
    const amount = typeof line['spend'] === 'string' ? parseDecimal(line['spend']) : undefined;
    const { currency } = line;
    if (amount?.ok !== true || typeof currency !== 'string') problems.push(`Line ${at + 1} has no amount.`);
    else sums.set(currency, (sums.get(currency) ?? 0n) + amount.value);
  });
  for (const total of totals) {
    const currency = typeof total['currency'] === 'string' ? total['currency'] : '';
    const sum = sums.get(currency);
    if (sum === undefined || microsToDecimal(sum) !== total['spend'])
      problems.push(`The total in ${currency} is not the sum of its lines.`);
    sums.delete(currency);
  }
  for (const currency of sums.keys()) problems.push(`The lines in ${currency} have no total.`);
  return ok(problems);
}

function objects(value: JsonValue | undefined): readonly JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}
