import type { SeededRandom } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';

/** A message of a seller: its body at that time, and the address. */
export interface Fired {
  readonly seller: number;
  readonly channel: 'task' | 'report' | 'impairment' | 'inline';
  readonly body: JsonObject;
}

/** A seller's view of the purchase. */
export interface Deal {
  readonly operationId: string;
  readonly mediaBuyId: string;
  readonly packageId: string;
  /** Our name of the package. */
  readonly packageName: string;
  readonly taskId: string;
}

type Step = (now: number, deal: Deal) => Omit<Fired, 'seller'> | undefined;
const dayOf = (day: number): string => new Date(Date.UTC(2026, 10, 1 + day)).toISOString();
const iso = (instant: number): string => new Date(instant).toISOString();

/**
 * The real state of one seller: what it decided, delivered and lost, and the messages that it sends meanwhile. It is
 * the model: whatever reaches us, in any order, we must reach its final state.
 */
export class Truth {
  task = 'submitted';
  buy = 'active';
  readonly days = new Map<number, number>();
  readonly impairments = new Map<string, JsonObject>();
  readonly #steps: Step[];
  readonly #chance: SeededRandom;
  #sequence = 0;

  constructor(
    chance: SeededRandom,
    /** True for a seller that always sells: an operation without any buy has no figures to compare. */
    sells: boolean,
  ) {
    this.#chance = chance;
    const end = sells ? 'completed' : chance.pick(['completed', 'completed', 'failed', 'rejected']);
    const isInline = chance.between(0, 3) === 0;
    this.#steps = [
      ...(isInline ? [this.#inline(end)] : [this.#inline('submitted'), ...this.#work(end)]),
      ...(end === 'completed' ? this.#campaign() : []),
    ];
  }

  get isOver(): boolean {
    return this.#steps.length === 0;
  }

  /** Executes the next step. */
  step(now: number, deal: Deal): Omit<Fired, 'seller'> | undefined {
    return this.#steps.shift()?.(now, deal);
  }

  answer(deal: Deal): JsonObject {
    if (this.task !== 'completed') return {};
    return {
      media_buy_id: deal.mediaBuyId,
      media_buy_status: 'active',
      packages: [{ package_id: deal.packageId, buyer_ref: deal.packageName, product_id: 'ctv' }],
    };
  }

  /** Returns what `get_media_buys` shows. */
  snapshot(deal: Deal): JsonObject {
    return {
      media_buy_id: deal.mediaBuyId,
      status: this.buy,
      currency: 'USD',
      packages: [],
      impairments: [...this.impairments.values()],
    };
  }

  /** Returns what `get_media_buy_delivery` shows for a range of days. */
  delivered(deal: Deal, from = '0', to = '9'): JsonObject {
    const all = [...this.days].filter(([day]) => dayOf(day) >= from && dayOf(day) < to);
    const days = all.map(([day]) => day);
    const [first, last] = days.length === 0 ? [0, 0] : [Math.min(...days), Math.max(...days)];
    const spend = all.reduce((sum, [, amount]) => sum + amount, 0);
    return report(deal, spend, dayOf(first), dayOf(last + 1), this.buy);
  }

  #inline(status: string): Step {
    return (_now, deal) => {
      this.task = status;
      return { channel: 'inline', body: { status, task_id: deal.taskId, ...this.answer(deal) } };
    };
  }

  #work(end: string): Step[] {
    const interim = ['working', 'input-required'].filter(() => this.#chance.between(0, 1) === 0);
    return [...interim, end].map((status) => (now, deal) => {
      this.task = status;
      const result = status === 'completed' ? { result: this.answer(deal) } : {};
      return { channel: 'task', body: this.#envelope(now, deal, { status, ...result }) };
    });
  }

  /** Days, their corrections, impairments meanwhile, and mostly an end. */
  #campaign(): Step[] {
    const count = this.#chance.between(1, 4);
    const steps: Step[] = [];
    for (let day = 0; day < count; day += 1) {
      if (this.#chance.between(0, 3) === 0) steps.push(this.#report('delayed', day));
      steps.push(this.#report('scheduled', day));
      const corrected = this.#chance.between(0, day);
      if (this.#chance.between(0, 2) === 0) steps.push(this.#report('adjusted', corrected));
    }
    for (const id of ['a', 'b'].slice(0, this.#chance.between(0, 2))) {
      const opens = this.#chance.between(0, steps.length);
      steps.splice(opens, 0, this.#impairment(id, true));
      const closes = this.#chance.between(opens + 1, steps.length);
      if (this.#chance.between(0, 1) === 0) steps.splice(closes, 0, this.#impairment(id, false));
    }
    if (this.#chance.between(0, 3) > 0) steps.push(this.#report('final', count - 1));
    return steps;
  }

  #report(type: string, day: number): Step {
    const spend = this.#chance.between(1, 40_000) / 100;
    return (now, deal) => {
      this.#sequence += 1;
      if (type === 'scheduled' || type === 'adjusted') this.days.set(day, spend);
      if (type === 'final') this.buy = 'completed';
      const figures = report(deal, this.days.get(day) ?? 0, dayOf(day), dayOf(day + 1), this.buy);
      const result = { notification_type: type, sequence_number: this.#sequence };
      return {
        channel: 'report',
        body: this.#envelope(now, deal, {
          task_id: 'delivery',
          task_type: 'media_buy_delivery',
          status: 'completed',
          result: type === 'delayed' ? result : { ...result, ...figures },
        }),
      };
    };
  }

  #impairment(id: string, opens: boolean): Step {
    return (now, deal) => {
      const detail: JsonObject = {
        impairment_id: `imp-${id}`,
        resource_type: 'audience',
        resource_id: `aud-${id}`,
        package_ids: [deal.packageId],
        transition: opens ? { from: 'active', to: 'suspended' } : { from: 'suspended', to: 'active' },
        reason_code: 'consent_expired',
        observed_at: iso(now),
      };
      if (opens) this.impairments.set(id, detail);
      else this.impairments.delete(id);
      const health = opens ? 'impaired' : 'ok';
      return {
        channel: 'impairment',
        body: this.#envelope(now, deal, {
          notification_id: `imp-${id}`,
          status: 'completed',
          result: { notification_type: 'impairment', ...detail, media_buy_id: deal.mediaBuyId, health },
        }),
      };
    };
  }

  #envelope(now: number, deal: Deal, more: JsonObject): JsonObject {
    return {
      idempotency_key: this.#chance.uuid(),
      operation_id: deal.operationId,
      task_id: deal.taskId,
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      timestamp: iso(now),
      ...more,
    };
  }
}

function report(deal: Deal, spend: number, start: string, end: string, status: string): JsonObject {
  const row = { spend, impressions: Math.round(spend * 100) };
  return {
    reporting_period: { start, end },
    currency: 'USD',
    media_buy_deliveries: [
      {
        media_buy_id: deal.mediaBuyId,
        status,
        totals: row,
        by_package: [{ package_id: deal.packageId, ...row, currency: 'USD' }],
      },
    ],
  };
}

/** Returns a seller's days as an exact ledger has them: micros by date. */
export function booksOf(truth: Truth): Readonly<Record<string, string>> {
  const days = [...truth.days].filter(([, spend]) => spend !== 0);
  return Object.fromEntries(
    days
      .sort(([figure], [other]) => figure - other)
      .map(([day, spend]) => [dayOf(day).slice(0, 10), String(Math.round(spend * 100) * 10_000)]),
  );
}
