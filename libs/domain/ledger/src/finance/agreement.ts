import type { BillingTerms } from './compared-figures.js';
import { percentText } from './tolerance.js';

/**
 * What was agreed with a seller about how it bills, for all that is bought there, for one insertion order, or for one buy.
 * It says nothing where a member is absent.
 */
export interface Agreement {
  /** UUID. */
  readonly id: string;
  /** Slug. */
  readonly seller: string;
  readonly mediaBuyId?: string;
  readonly insertionOrder?: string;
  /** Commission of the agency, in hundredths of a percent. */
  readonly commissionHundredths?: number;
  /** Whether invoices are with that commission (gross) or without it (net). */
  readonly bills?: 'gross' | 'net';
  /** Nothing above the order is owed. */
  readonly isCapped?: boolean;
  /** Fees up to this part of the media of a document, in hundredths of a percent. */
  readonly feeHundredths?: number;
  /** Whose count is owed, before what the terms of a package say. */
  readonly countedBy?: 'seller' | 'third_party';
  /** How far two counts may differ, in hundredths of a percent. */
  readonly varianceHundredths?: number;
  /** First and last month that it holds, `YYYY-MM`. */
  readonly firstMonth: string;
  readonly lastMonth?: string;
}

type AgreementFault = 'nothing' | 'commission' | 'bills' | 'fee' | 'variance' | 'last_month';

/** The member of an agreement that cannot be; undefined if it can stand. */
export function faultOfAgreement(agreement: Omit<Agreement, 'id'>): AgreementFault | undefined {
  const { commissionHundredths: commission, bills, feeHundredths, varianceHundredths } = agreement;
  const said = [
    commission,
    bills,
    agreement.isCapped,
    feeHundredths,
    agreement.countedBy,
    varianceHundredths,
  ];
  if (said.every((member) => member === undefined)) return 'nothing';
  // A commission of the whole amount leaves no media.
  if (commission !== undefined && (commission <= 0 || commission >= 10_000)) return 'commission';
  if ((bills === undefined) !== (commission === undefined)) return 'bills';
  if (feeHundredths !== undefined && (feeHundredths < 0 || feeHundredths > 10_000)) return 'fee';
  if (varianceHundredths !== undefined && (varianceHundredths < 0 || varianceHundredths > 10_000))
    return 'variance';
  if (agreement.lastMonth !== undefined && agreement.lastMonth < agreement.firstMonth) return 'last_month';
  return undefined;
}

/** An agreement in words: `net of 12.5 %, up to the order, from 2026-11`. */
export function agreementText(agreement: Omit<Agreement, 'id'>): string {
  const {
    bills,
    commissionHundredths = 0,
    isCapped,
    feeHundredths,
    countedBy,
    varianceHundredths,
  } = agreement;
  return [
    bills === 'net' && `net of ${percentText(commissionHundredths)} %`,
    bills === 'gross' && `gross, with ${percentText(commissionHundredths)} % commission`,
    isCapped === true && 'up to the order',
    isCapped === false && 'also above the order',
    feeHundredths !== undefined && `fees up to ${percentText(feeHundredths)} %`,
    countedBy === 'seller' && 'by the count of the seller',
    countedBy === 'third_party' && 'by the count of the third party',
    varianceHundredths !== undefined && `counts may differ by ${percentText(varianceHundredths)} %`,
    `from ${agreement.firstMonth}`,
    agreement.lastMonth !== undefined && `until ${agreement.lastMonth}`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** What an agreement is looked for with. */
interface AgreementPlace {
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly insertionOrder?: string;
}

/**
 * Finds the agreements of a month. That of the buy holds before that of its insertion order before that of its seller, and
 * of equal ones the one that began last; each member is taken from the first that says it.
 */
export function agreementsOf(
  all: readonly Agreement[],
  month: string,
): (place: AgreementPlace) => Agreement | undefined {
  const holding = all
    .filter(
      ({ firstMonth, lastMonth }) => firstMonth <= month && (lastMonth === undefined || lastMonth >= month),
    )
    .toSorted((left, right) => {
      const [one, other] = [`${left.firstMonth} ${left.id}`, `${right.firstMonth} ${right.id}`];
      return weightOf(left) - weightOf(right) || (one < other ? -1 : 1);
    });
  return ({ seller, mediaBuyId, insertionOrder }) => {
    const own = holding.filter(
      (agreement) =>
        agreement.seller === seller &&
        (agreement.mediaBuyId ?? mediaBuyId) === mediaBuyId &&
        (agreement.insertionOrder === undefined || agreement.insertionOrder === insertionOrder),
    );
    return own.length === 0 ? undefined : own.reduce((before, agreement) => ({ ...before, ...agreement }));
  };
}

const weightOf = ({ mediaBuyId, insertionOrder }: Agreement): number =>
  (mediaBuyId === undefined ? 0 : 2) + (insertionOrder === undefined ? 0 : 1);

/** The terms of a package: what a person agreed, before what its measurement terms say. */
export function withAgreement(
  terms: BillingTerms | undefined,
  agreement: Agreement | undefined,
): BillingTerms | undefined {
  if (agreement === undefined) return terms;
  const { commissionHundredths, bills, isCapped, feeHundredths, countedBy, varianceHundredths } = agreement;
  return {
    ...terms,
    ...(bills !== undefined && { isNet: bills === 'net' }),
    ...(commissionHundredths !== undefined && { commissionHundredths }),
    ...(isCapped !== undefined && { isCapped }),
    ...(feeHundredths !== undefined && { feeHundredths }),
    ...(countedBy !== undefined && { isThirdPartyBilled: countedBy === 'third_party' }),
    ...(varianceHundredths !== undefined && { maxVarianceHundredths: varianceHundredths }),
  };
}
