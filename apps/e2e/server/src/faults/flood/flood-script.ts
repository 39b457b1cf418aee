import type { SeededRandom } from '@switchyard/testing';
import type { FloodBuy, FloodEvent, FloodUpdate, FloodPlan } from './flood-plan.js';

const daysReported = 16;
const ends = ['completed', 'completed', 'completed', 'completed', 'completed', 'failed', 'rejected'] as const;
/** Sellers' clocks; their events are in the past. */
const epoch = Date.UTC(2026, 9, 1);

/**
 * All events of a flood's sellers, in the order of their first send: for many buys at a time, shuffled, repeated,
 * repeated with new keys, changed with an old key, and forged. If only the order decides what is true, the later event
 * waits for the acknowledgement of the earlier one.
 */
export function floodScript(plan: FloodPlan, chance: SeededRandom): readonly FloodEvent[] {
  const placed = plan.buys.flatMap((buy, index) =>
    new BuyScript(buy, index, chance).write().map((event) => ({ event, place: index + chance.next() * 10 })),
  );
  return placed.sort((left, right) => left.place - right.place).map(({ event }) => event);
}

class BuyScript {
  private readonly events: FloodEvent[] = [];
  private sequence = 0;

  constructor(
    private readonly buy: FloodBuy,
    private readonly index: number,
    private readonly chance: SeededRandom,
  ) {}

  write(): readonly FloodEvent[] {
    const end = this.writeTask();
    if (end.status === 'completed') {
      this.writeReports(end.name);
      this.notifyImpairments(end.name);
    }
    return this.events;
  }

  private writeTask(): { readonly status: string; readonly name: string } {
    for (const status of ['submitted', 'working', 'input-required', 'working']) this.task(status, []);
    const status = this.chance.pick(ends);
    const name = this.task(status, []);
    this.task(status, []);
    const other = status === 'completed' ? 'failed' : 'canceled';
    if (this.once(4)) this.task(other, [name, ...this.named(status)], 'conflict');
    return { status, name };
  }

  /**
   * Reports may arrive before the event that confirms their buy, except reports that a later one contradicts: only an
   * accepted report can be contradicted.
   */
  private writeReports(end: string): void {
    for (let day = 0; day < daysReported; day += 1) {
      const { name: first, update: scheduled } = this.report('scheduled', day, []);
      if (!this.once(4)) continue;
      const isContradicted = this.once(3);
      const { name } = this.report('adjusted', day, isContradicted ? [end] : []);
      if (scheduled.kind !== 'report' || !isContradicted) continue;
      this.report('scheduled', day, [first, name], {
        sequence: scheduled.sequence,
        wrong: 'sequence_behind_time',
      });
    }
    const isContradicted = this.once(3);
    const { name: final } = this.report('final', daysReported, isContradicted ? [end] : []);
    if (isContradicted) this.report('scheduled', daysReported + 1, [final], { wrong: 'after_final' });
  }

  private notifyImpairments(end: string): void {
    for (let count = this.chance.between(0, 3); count > 0; count -= 1) {
      const id = `imp-${this.chance.uuid().slice(0, 8)}`;
      const opened = [this.impairment(id, false, [end]), this.impairment(id, false, [end])];
      if (this.once(2)) this.impairment(id, true, opened);
    }
  }

  private task(status: string, after: readonly string[], name = status): string {
    const { sellerMediaBuyId, packages } = this.buy;
    const made = {
      media_buy_id: sellerMediaBuyId,
      status: 'active',
      packages: packages.map((packageId, position) => ({
        package_id: packageId,
        buyer_ref: `package-${String(position)}`,
        product_id: 'ctv',
      })),
    };
    const errors = [{ code: 'PRODUCT_UNAVAILABLE', message: 'Sold out.' }];
    const result =
      status === 'completed' ? { result: made } : status === 'failed' ? { result: { errors } } : {};
    const envelope = { task_type: 'create_media_buy', task_id: this.buy.sellerTaskId, status, ...result };
    return this.add('task', envelope, { kind: 'task', status }, after, name).name;
  }

  private report(
    type: 'scheduled' | 'adjusted' | 'final',
    day: number,
    after: readonly string[],
    odd: { readonly sequence?: number; readonly wrong?: 'after_final' | 'sequence_behind_time' } = {},
  ): FloodEvent {
    const sent = (this.sequence += 1);
    const sequence = odd.sequence ?? sent;
    const start = new Date(Date.UTC(2026, 0, 3 + day)).toISOString();
    const rows = this.buy.packages.map((packageId) => ({
      packageId,
      micros: String(this.chance.between(0, 9_999_999)),
    }));
    const spends = rows.map(({ micros }) => Number(micros) / 1e6);
    const update: FloodUpdate = {
      kind: 'report',
      type,
      day: start.slice(0, 10),
      sequence,
      rows,
      ...(odd.wrong === undefined ? {} : { wrong: odd.wrong }),
    };
    const result = {
      notification_type: type,
      sequence_number: sequence,
      reporting_period: { start, end: new Date(Date.UTC(2026, 0, 4 + day)).toISOString() },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: this.buy.sellerMediaBuyId,
          status: 'active',
          totals: {
            spend: Number(spends.reduce((sum, each) => sum + each, 0).toFixed(6)),
            impressions: sent,
          },
          by_package: rows.map(({ packageId }, at) => ({
            package_id: packageId,
            spend: spends[at],
            impressions: sent,
          })),
        },
      ],
    };
    const timestamp = new Date(epoch + sent * 60_000).toISOString();
    const envelope = {
      task_type: 'media_buy_delivery',
      task_id: 'delivery',
      status: 'completed',
      timestamp,
      result,
    };
    const event = this.add('report', envelope, update, after, `report ${String(sent)}`);
    if (odd.wrong === undefined && this.once(6))
      this.add('report', envelope, update, [], `report ${String(sent)} again`);
    if (odd.wrong === undefined && this.once(8)) this.spoil(event, envelope);
    return event;
  }

  private impairment(id: string, isResolved: boolean, after: readonly string[]): string {
    const result = {
      notification_type: 'impairment',
      media_buy_id: this.buy.sellerMediaBuyId,
      health: isResolved ? 'ok' : 'impaired',
      impairment_id: id,
      resource_type: 'audience',
      resource_id: `audience of ${id}`,
      package_ids: this.buy.packages.slice(0, 1),
      transition: { from: 'active', to: isResolved ? 'active' : 'suspended' },
      reason_code: 'consent_expired',
      observed_at: new Date(epoch).toISOString(),
    };
    const envelope = {
      notification_id: id,
      task_type: 'media_buy_delivery',
      task_id: 'delivery',
      status: 'completed',
      result,
    };
    const name = `${id} ${String(this.events.length)}`;
    return this.add('report', envelope, { kind: 'impairment', id, isResolved }, after, name).name;
  }

  /** Sends another body with the same key once the first copy is acknowledged, and one signed by another key. */
  private spoil(event: FloodEvent, envelope: object): void {
    const body = JSON.stringify({ ...JSON.parse(event.body), message: 'not what was said before' } as object);
    const name = `${event.name} changed`;
    this.events.push({ ...event, body, update: { kind: 'changed' }, after: [event.name], name, copies: 1 });
    this.add('report', envelope, { kind: 'forged' }, [], `${event.name} forged`);
  }

  private add(
    address: 'task' | 'report',
    envelope: object,
    update: FloodUpdate,
    after: readonly string[],
    name: string,
  ): FloodEvent {
    const key = `flood-${this.chance.uuid()}`;
    const body = JSON.stringify({
      idempotency_key: key,
      operation_id: this.buy.sellerOperationId,
      protocol: 'media-buy',
      timestamp: new Date(epoch).toISOString(),
      ...envelope,
    });
    const copies = update.kind !== 'forged' && this.once(5) ? this.chance.between(2, 4) : 1;
    const event = {
      key,
      buy: this.index,
      address,
      body,
      update,
      after,
      name: this.nameOf(name),
      copies,
    };
    this.events.push(event);
    return event;
  }

  private named(name: string): readonly string[] {
    return this.events.map((event) => event.name).filter((each) => each.startsWith(this.prefix(name)));
  }

  private nameOf(name: string): string {
    return `${this.prefix(name)} ${String(this.events.length)}`;
  }

  private prefix(name: string): string {
    return `${String(this.index)} ${name}`;
  }

  /** True once in that many calls. */
  private once(times: number): boolean {
    return this.chance.between(1, times) === 1;
  }
}
