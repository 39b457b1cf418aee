/** Differences up to the greater of both are tolerated. */
export interface Tolerance {
  readonly absoluteMicros: bigint;
  /** Of the delivered amount, in hundredths of a percent: 125 is 1.25 %. */
  readonly percentHundredths: number;
  /** Its origin: `request`, `seller and client`, `client`, `seller`, `organization` or `default`. */
  readonly rule: string;
}

/** One cent for any amount: the default. */
const usualTolerance: Tolerance = { absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' };

/** A configured tolerance. */
export interface SetTolerance extends Omit<Tolerance, 'rule'> {
  /** UUID. */
  readonly id: string;
  /** Slug; absent: every seller. */
  readonly seller?: string;
  /** UUID; absent: every client. */
  readonly clientId?: string;
}

/** A tolerance as a break shows it. */
export interface UsedTolerance extends Tolerance {
  /** The tolerated amount in micros for the compared amount. */
  readonly allowedMicros: bigint;
}

/** The most specific one: of seller and client, of the client, of the seller, of all, else the default. */
export function toleranceAmong(
  all: readonly SetTolerance[],
): (seller: string, clientId?: string) => Tolerance {
  const known = new Map(all.map((tolerance) => [keyOf(tolerance.seller, tolerance.clientId), tolerance]));
  return (seller, clientId) => {
    const ways = [
      ...(clientId === undefined
        ? []
        : [
            { rule: 'seller and client', found: known.get(keyOf(seller, clientId)) },
            { rule: 'client', found: known.get(keyOf(undefined, clientId)) },
          ]),
      { rule: 'seller', found: known.get(keyOf(seller, undefined)) },
      { rule: 'organization', found: known.get(keyOf(undefined, undefined)) },
    ];
    const way = ways.find(({ found }) => found !== undefined);
    if (way?.found === undefined) return usualTolerance;
    const { absoluteMicros, percentHundredths } = way.found;
    return { absoluteMicros, percentHundredths, rule: way.rule };
  };
}

const keyOf = (seller: string | undefined, clientId: string | undefined): string =>
  JSON.stringify([seller ?? '', clientId ?? '']);

/** The tolerated difference of an amount, in micros, rounded down. */
export function toleratedMicros(
  { absoluteMicros, percentHundredths }: Omit<Tolerance, 'rule'>,
  of: bigint,
): bigint {
  const relative = ((of < 0n ? -of : of) * BigInt(percentHundredths)) / 10_000n;
  return relative > absoluteMicros ? relative : absoluteMicros;
}

export function usedTolerance(tolerance: Tolerance, of: bigint): UsedTolerance {
  return { ...tolerance, allowedMicros: toleratedMicros(tolerance, of) };
}

/** Hundredths of a percent as decimal text: 125 is `1.25`, 50 is `0.5`. */
export function percentText(hundredths: number): string {
  const part = String(hundredths % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${Math.floor(hundredths / 100)}${part === '' ? '' : `.${part}`}`;
}
