import {
  lostInReading,
  type Finding,
  type SellerRow,
  type TaskError,
  type TaskSpec,
} from '@switchyard/protocol';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { readPlanOf } from './draft-read.js';

/** What one seller has answered so far. */
export interface GatheredLeg<Answer> {
  readonly seller: string;
  readonly answer?: Answer;
  readonly setAside: readonly Finding[];
  readonly findings: readonly Finding[];
  /** The errors of its refusal. */
  readonly errors?: readonly TaskError[];
  /** True where it has more items than it returned. */
  readonly isTruncated?: true;
}

/** All answers to a read so far. */
export interface Gathered<Answer> {
  readonly legs: readonly GatheredLeg<Answer>[];
  /** One per seller that was eligible, in the order of the calls. */
  readonly rows: readonly SellerRow[];
  /** Slugs of sellers that will answer later. */
  readonly later: readonly string[];
}

/** Builds the answer to a stored read as if all answers had come at once, in the order of the sellers' rows. */
export function gatherRead<Request, Answer>(
  state: OperationState,
  spec: TaskSpec<Request, Answer>,
  measure: {
    readonly count: (answer: Answer) => number;
    /** Whether the answer has a next page. */
    readonly goesOn: (answer: Answer) => boolean;
  },
): Gathered<Answer> {
  const plan = readPlanOf(state.operation);
  const bySeller = new Map(state.legs.map((leg) => [leg.seller, leg]));
  const legs: GatheredLeg<Answer>[] = [];
  const rows = plan.rows.map((row) => {
    const leg = bySeller.get(row.seller);
    if (leg === undefined) return row;
    const read =
      leg.status === 'completed' ? spec.readAnswer(leg.answer ?? {}, leg.profile) : { ok: false as const };
    const answer = read.ok ? read.value.answer : undefined;
    const isLate = leg.observedBy !== 'inline';
    const isTruncated =
      plan.cut.includes(row.seller) || (isLate && answer !== undefined && measure.goesOn(answer));
    legs.push({
      seller: row.seller,
      setAside: read.ok ? read.value.setAside : [],
      // Losses in an immediate answer are already among the findings of its leg.
      findings:
        answer === undefined || !isLate
          ? leg.findings
          : [...leg.findings, ...lostInReading(spec, leg.answer ?? {}, answer, leg.profile)],
      ...(answer === undefined ? {} : { answer }),
      ...(leg.errors.length === 0 ? {} : { errors: leg.errors }),
      ...(isTruncated ? { isTruncated } : {}),
    });
    return isLate || leg.status === 'canceled' ? rowOf(row, leg, answer && measure.count(answer)) : row;
  });
  const later = state.legs.filter((leg) => !isSettled(leg)).map(({ seller }) => seller);
  return { legs, rows, later };
}

/** The row of a seller after its late answer arrived or failed. */
function rowOf({ code: _omitted, ...row }: SellerRow, leg: Leg, items: number | undefined): SellerRow {
  const [error] = leg.errors;
  if (!isSettled(leg)) return { ...row, code: leg.status.toUpperCase() };
  if (leg.status === 'completed') {
    const what = items === 1 ? '1 item' : `${items ?? 0} items`;
    return { ...row, status: 'answered', reason: `${what}, which came later.`, items: items ?? 0 };
  }
  const code = showable(error?.code) ?? leg.status.toUpperCase();
  const isLocal = leg.status === 'canceled' && leg.observedBy === 'inline';
  if (isLocal) return { ...row, status: 'skipped', reason: 'Called off.', code };
  return leg.status === 'failed' && (code === 'SERVICE_UNAVAILABLE' || code === 'NOT_CONFORMANT')
    ? { ...row, status: 'failed', reason: error?.message ?? 'There was no answer.', code }
    : { ...row, status: 'refused', reason: `The seller refused: ${code}.`, code };
}

/** Returns a code only if it has the format of one: no other text of a seller is shown. */
function showable(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(code) ? code : undefined;
}
