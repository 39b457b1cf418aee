import { isSettled } from '@switchyard/buys';
import { hashOfBody } from '@switchyard/journal';
import type { JsonObject } from '@switchyard/values';
import type { SimulatedSeller } from './seller.js';
import { dayOf, isSettledOrParked, type Tenant, type Truth, type World } from './world.js';

/** What holds after each step, and at the end. */
export class Invariants {
  readonly #world: World;
  readonly #settled = new Map<string, string>();
  readonly #seen = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A request is sent again with the same bytes under the same key, or not at all. */
  judgeSends(slug: string, seller: SimulatedSeller): void {
    const bytes = new Map<string, string>();
    for (const { key, text } of seller.creates) {
      if ((bytes.get(key) ?? text) !== text) this.#world.wrong(`${slug} got other bytes under a known key.`);
      bytes.set(key, text);
    }
    const contexts = seller.sold.map(({ context }) => JSON.stringify(context));
    if (new Set(contexts).size < contexts.length) this.#world.wrong(`${slug} made one buy twice.`);
  }

  /** The end of a leg does not change any more, whatever comes. */
  judgeLegs(): void {
    for (const { scope } of this.#world.tenants)
      for (const leg of this.#world.store.rowsOf(scope).legs.values()) {
        const before = this.#settled.get(leg.id);
        if (before !== undefined && before !== leg.status)
          this.#world.wrong(`A leg that was ${before} became ${leg.status}.`);
        if (isSettled(leg) && leg.status !== 'parked') this.#settled.set(leg.id, leg.status);
        if (leg.organizationId !== scope.organizationId)
          this.#world.wrong('A row stands in another organization.');
      }
  }

  judgeLedgers(): void {
    for (const tenant of this.#world.tenants) {
      const entries = tenant.ledger.all();
      const known = this.#seen.get(tenant.scope.organizationId) ?? 0;
      if (entries.length < known) this.#world.wrong('An entry of the ledger is gone.');
      this.#seen.set(tenant.scope.organizationId, entries.length);
      for (const entry of entries) {
        if (hashOfBody(entry.body) !== entry.hash)
          this.#world.wrong('An entry of the ledger is not what was hashed.');
        const sum = entry.postings.reduce((all, { amountMicros }) => all + amountMicros, 0n);
        if (sum !== 0n) this.#world.wrong('The lines of an entry do not sum to zero.');
      }
    }
  }

  judgeTenant(tenant: Tenant): void {
    const rows = this.#world.store.rowsOf(tenant.scope);
    if (tenant.inbox.waitingNow() > 0) this.#world.wrong('A message was stored and never applied.');
    for (const leg of rows.legs.values()) {
      const seller = this.#world.sellers.get(leg.seller);
      if (!isSettledOrParked(leg))
        this.#world.wrong(`A leg of ${leg.task} at a ${seller?.habit ?? ''} seller stays ${leg.status}.`);
      if (leg.task !== 'create_media_buy' || seller === undefined) continue;
      const context = JSON.stringify((JSON.parse(leg.outbound) as JsonObject)['context']);
      const sold = seller.sold.filter((buy) => JSON.stringify(buy['context']) === context).length;
      if (leg.status === 'completed' && sold !== 1)
        this.#world.wrong(`A completed leg has ${sold} buys at its ${seller.habit} seller.`);
      if ((leg.status === 'failed' || leg.status === 'rejected') && sold !== 0)
        this.#world.wrong(`A ${leg.status} leg has a buy at its ${seller.habit} seller.`);
    }
  }

  /** What is booked is what the seller has, for each day, and nothing after its end. */
  judgeBooks({ tenant, connection, mediaBuyId, days }: Truth): void {
    const part = [...this.#world.store.rowsOf(tenant.scope).sellerBuys.values()].find(
      (row) => row.sellerMediaBuyId === mediaBuyId && row.connectionId === connection.id,
    );
    const booked = new Map<string, bigint>();
    for (const entry of tenant.ledger.all())
      if (entry.mediaBuyId === part?.mediaBuyId && entry.seller === connection.slug)
        for (const { account, day, amountMicros } of entry.postings)
          if (account === 'media_spend') booked.set(day, (booked.get(day) ?? 0n) + amountMicros);
    const wanted = [...days].map(
      ([day, spend]) => `${dayOf(day).slice(0, 10)} ${Math.round(spend * 100) * 10_000}`,
    );
    const got = [...booked].filter(([, sum]) => sum !== 0n).map(([day, sum]) => `${day} ${sum}`);
    if (wanted.toSorted().join() !== got.toSorted().join())
      this.#world.wrong(
        `The books of ${connection.slug} say ${got.join(', ')}, and the seller has ${wanted.join(', ')}.`,
      );
  }
}
