import { partsOf, exposureOf, type Part } from './exposure.js';
import type { OrgModel } from './model.js';
import { brandOf, convertedUp, type Limit } from './rules.js';
import type { Stage } from './stage.js';

/** Rounding of a sum in another currency, in micros. */
const tolerance = 1_000n;

/** Looks at the database after acts, and judges what it sees by the model. */
export class Invariants {
  readonly #parts = new Map<string, ReadonlyMap<string, Part>>();

  constructor(readonly stage: Stage) {}

  /** Judges an organization after an act in it. */
  async judge(org: OrgModel): Promise<void> {
    const before = this.#parts.get(org.name) ?? new Map<string, Part>();
    const after = await partsOf(this.stage.of.view, org.id, before);
    this.#parts.set(org.name, after);
    for (const [key, limit] of [...org.limits, ...org.budgets(), ...this.limitsOfPrograms(org)])
      this.judgeLimit(org, key, limit, before, after);
    // What was approved goes to its sellers a moment later; once seen there, its next rise needs a next approval.
    for (const part of after.values()) if (hasRisen(part, before)) org.approvedBuys.delete(part.buyId);
    await this.judgeBooked(org, after);
    for (const { brand, wasSent } of after.values())
      if (brand !== null && wasSent) org.brandsBought.add(brand);
  }

  /** What people have let programs spend. */
  private limitsOfPrograms(org: OrgModel): readonly (readonly [string, Limit])[] {
    return [...this.stage.of.world.actors.values()].flatMap((actor) =>
      actor.org === org.name && actor.program !== undefined
        ? [[`program:${actor.label}`, actor.program.limit] as const]
        : [],
    );
  }

  /** No buy that another person did not approve takes a limit beyond what it was legitimately set to. */
  private judgeLimit(
    org: OrgModel,
    key: string,
    limit: Limit,
    before: ReadonlyMap<string, Part>,
    after: ReadonlyMap<string, Part>,
  ): void {
    const [of = '', per = ''] = key.split(' ');
    // A month's share of a flight is the product's own plan; its sums are judged by what the month has booked.
    if (per !== '' || (limit.above === 'ask' && this.stage.isApprovedByOther)) return;
    const inside = (parts: ReadonlyMap<string, Part>): readonly Part[] =>
      [...parts.values()].filter((part) => isFor(org, of, part));
    const known = new Map(inside(before).map((part) => [part.key, part]));
    const risen = inside(after).filter(
      (part) => hasRisen(part, known) && !(limit.above === 'ask' && org.approvedBuys.has(part.buyId)),
    );
    if (risen.length === 0) return;
    if (of === 'new-brand') return this.judgeBrands(org, risen);
    const counted = of === 'each-buy' ? buysOf(risen, inside(after)) : [inside(after)];
    for (const parts of counted) {
      const sum = parts.reduce(
        (all, part) => all + inLimit(org, limit, countedOf(part, known.get(part.key))),
        0n,
      );
      if (sum > limit.micros + tolerance)
        this.stage.violate(
          'money above the limit',
          `${of} is limited to ${String(limit.micros)} and ${String(sum)} are committed or spent by ${risen.map(({ key: at }) => at).join()}.`,
        );
    }
  }

  private judgeBrands(org: OrgModel, risen: readonly Part[]): void {
    for (const { brand, key } of risen)
      if (brand !== null && !org.brandsBought.has(brand))
        this.stage.violate(
          'money above the limit',
          `${key} is the first buy for ${brand}, and nobody approved it.`,
        );
  }

  /** What is committed and pending covers what is booked. */
  private async judgeBooked(org: OrgModel, parts: ReadonlyMap<string, Part>): Promise<void> {
    const booked = new Map<string, bigint>();
    for (const part of parts.values())
      for (const of of keysOf(part)) {
        const at = `${of} ${part.currency}`;
        booked.set(at, (booked.get(at) ?? 0n) + part.booked);
      }
    const rows = await this.stage.of.view.rows<{ readonly at: string; readonly used: string }>(
      `select kind || ':' || key || ' ' || currency as at, (pending_micros + committed_micros)::text as used
       from spend_total where organization_id = $1 and month = ''`,
      [org.id],
    );
    const used = new Map(rows.map((row) => [row.at, BigInt(row.used)]));
    for (const [at, amount] of booked)
      if (amount > (used.get(at) ?? 0n))
        this.stage.violate(
          'committed below booked',
          `${at}: ${String(amount)} are booked, ${String(used.get(at) ?? 0n)} are committed or pending.`,
        );
  }
}

const hasRisen = ({ key, agreed }: Part, before: ReadonlyMap<string, Part>): boolean =>
  agreed > (before.get(key)?.agreed ?? 0n);

/** What counted for a part in the same moment as the product judged: nothing that a report changed meanwhile. */
function countedOf(part: Part, before: Part | undefined): bigint {
  if (before === undefined || part.agreed > before.agreed) return exposureOf(part);
  const [then, now] = [exposureOf(before), exposureOf(part)];
  return then < now ? then : now;
}

const buysOf = (risen: readonly Part[], all: readonly Part[]): readonly (readonly Part[])[] =>
  [...new Set(risen.map(({ buyId }) => buyId))].map((id) => all.filter(({ buyId }) => buyId === id));

function inLimit(org: OrgModel, limit: Limit, micros: bigint): bigint {
  if (limit.currency === 'USD') return micros;
  const rate = org.rates.get(`USD ${limit.currency}`);
  return rate === undefined ? 0n : convertedUp(micros, rate);
}

function isFor(org: OrgModel, of: string, part: Part): boolean {
  if (of === 'organization' || of === 'each-buy' || of === 'new-brand') return true;
  const at = of.indexOf(':');
  const key = of.slice(at + 1);
  switch (of.slice(0, at)) {
    case 'principal':
      return part.principalId === key && !part.isChangedByOthers;
    case 'client':
      return part.clientId === key;
    case 'brand':
      return part.brand === brandOf(key);
    case 'campaign':
      return part.campaignId === key;
    case 'program':
      // What its person changes at a buy of the program is not the program's.
      return (
        part.isOfOneHand && [...org.buys.values()].some(({ id, by }) => id === part.buyId && by.label === key)
      );
    default:
      return part.seller === key;
  }
}

/** The sums that a part belongs to, as the product keeps them. */
function keysOf(part: Part): readonly string[] {
  return [
    'organization:',
    `seller:${part.seller}`,
    ...(part.isChangedByOthers ? [] : [`principal:${part.principalId}`]),
    ...(part.clientId === null ? [] : [`client:${part.clientId}`]),
    ...(part.storedBrand === null ? [] : [`brand:${part.storedBrand}`]),
    ...(part.campaignId === null ? [] : [`campaign:${part.campaignId}`]),
  ];
}
