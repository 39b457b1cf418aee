import { randomUUID } from 'node:crypto';
import { storeObservation } from '@switchyard/buys';
import { readReply } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { makeOperation, seededRandom, type SeededRandom, type TestClock } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from '../in/apply-inbox.js';
import { followEnds } from '../../buys/legs/follow-ends.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { pullReports } from '../../buys/reports/pull-reports.js';
import { booksOf, Truth, type Deal, type Fired } from './truth.js';

/** One seller of a story: what it sold, and its webhook address. */
interface StoryDeal extends Deal {
  readonly connection: Connection;
  readonly legId: string;
  readonly sellerBuyId: string;
  readonly taskAddress: string;
  readonly reportAddress: string;
}

/** The workers on one kind of storage, and how a webhook gets to them. */
export interface StoryStage {
  readonly parts: WorkerDeps;
  readonly scope: { readonly organizationId: string };
  readonly clock: TestClock;
  answerWith(answers: (tool: string, args: JsonObject) => JsonObject | undefined): void;
  fire(deal: StoryDeal, fired: Fired): Promise<void>;
}

/** The final state, and the expected one. */
interface Ending {
  readonly got: Standing;
  readonly wanted: Standing;
  /** The actions that were done, to find the cause of a difference. */
  readonly script: readonly string[];
}

interface Standing {
  readonly legs: readonly string[];
  readonly operation: string;
  readonly buy: string;
  readonly sellerBuys: readonly string[];
  readonly books: readonly Readonly<Record<string, string>>[];
  readonly impairments: readonly string[];
  readonly waiting: number;
}

const minute = 60_000;

/**
 * Plays one buy at three sellers. The seed determines what they do, which of their messages reach us by which channel,
 * twice, late or never, and when we poll. At the end everything is polled once more, as the schedules do.
 */
export async function playStory(
  seed: number,
  stage: StoryStage,
  connections: readonly Connection[],
): Promise<Ending> {
  const chance = seededRandom(seed);
  const deals = await begin(stage, connections);
  const truths = deals.map((_, index) => new Truth(chance, index === 0));
  const story = new Story(stage, deals, truths, chance);
  await story.play();
  await story.recover();
  return { got: await standing(stage, deals), wanted: modelOf(deals, truths), script: story.script };
}

class Story {
  readonly script: string[] = [];
  readonly #flying: Fired[] = [];

  constructor(
    readonly stage: StoryStage,
    readonly deals: readonly StoryDeal[],
    readonly truths: readonly Truth[],
    readonly chance: SeededRandom,
  ) {
    stage.answerWith((tool, args) => this.#answer(tool, args));
  }

  async play(): Promise<void> {
    while (this.#flying.length > 0 || this.truths.some((truth) => !truth.isOver)) {
      this.stage.clock.advance(minute);
      await this.#once();
    }
  }

  /** Polls every task, delivery and snapshot once more, as the schedules do in the end. */
  async recover(): Promise<void> {
    this.stage.clock.advance(minute);
    for (const index of this.deals.keys()) await this.#poll(index);
    await this.#apply();
    for (const index of this.deals.keys()) {
      await this.#pull(index);
      await this.#look(index);
    }
    await this.#apply();
  }

  async #once(): Promise<void> {
    const index = this.chance.between(0, this.deals.length - 1);
    const draw = this.chance.between(0, 99);
    if (draw < 40) return this.#happens(index);
    if (draw < 75) return this.#arrives();
    if (draw < 83) return this.#poll(index);
    if (draw < 92) return this.#pull(index);
    return this.#look(index);
  }

  #happens(index: number): void {
    const [truth, deal] = [this.truths[index], this.deals[index]];
    if (truth === undefined || deal === undefined) return;
    const fired = truth.step(this.stage.clock.now(), deal);
    if (fired === undefined) return;
    const result = fired.body['result'] as JsonObject | undefined;
    this.#say(
      `${String(index)} is ${fired.channel} ${(result?.['notification_type'] as string | undefined) ?? truth.task}`,
    );
    this.#flying.push({ ...fired, seller: index });
  }

  /** Delivers one of the messages in transit: late or early, sometimes never, sometimes again. */
  async #arrives(): Promise<void> {
    const at = this.chance.between(0, Math.max(0, this.#flying.length - 1));
    const fired = this.#flying[at];
    const deal = this.deals[fired?.seller ?? 0];
    if (fired === undefined || deal === undefined) return;
    const outcome = this.chance.between(0, 99);
    if (outcome >= 15) {
      this.#say(`${String(fired.seller)} arrives ${fired.channel} ${JSON.stringify(fired.body)}`);
      await (fired.channel === 'inline' ? this.#inline(deal, fired) : this.stage.fire(deal, fired));
      // The worker does not always run at once.
      if (this.chance.between(0, 2) > 0) await this.#apply();
    }
    if (outcome < 85) this.#flying.splice(at, 1);
  }

  async #inline({ legId }: StoryDeal, { body }: Fired): Promise<void> {
    await this.#observe(legId, 'inline', body);
  }

  async #poll(index: number): Promise<void> {
    const [truth, deal] = [this.truths[index], this.deals[index]];
    if (truth === undefined || deal === undefined) return;
    this.#say(`${String(index)} is polled`);
    const body = { status: truth.task, task_id: deal.taskId, ...truth.answer(deal) };
    await this.#observe(deal.legId, 'poll', body);
  }

  async #observe(legId: string, source: 'inline' | 'poll', body: JsonObject): Promise<void> {
    const { parts, scope, clock } = this.stage;
    const leg = await parts.ports.store.leg(scope, legId);
    if (leg === undefined) throw new Error('The leg is there.');
    const reply = readReply(leg.task, body, false);
    await storeObservation(parts.ports, scope, leg, { source, at: clock.now(), reply });
  }

  async #pull(index: number): Promise<void> {
    const deal = this.deals[index];
    if (deal === undefined || !(await this.#isKnown(deal))) return;
    this.#say(`${String(index)} is asked for its delivery`);
    const { parts, scope } = this.stage;
    const record = await parts.ports.store.sellerBuyOf(scope, deal.connection.id, deal.mediaBuyId);
    await pullReports(parts, scope, deal.connection, {
      legId: deal.legId,
      connectionId: deal.connection.id,
      sellerBuyId: deal.sellerBuyId,
      mediaBuyId: record?.mediaBuyId ?? '',
      principalId: randomUUID(),
      sellerMediaBuyId: deal.mediaBuyId,
      startTime: '2026-11-01T00:00:00Z',
      endTime: '2026-12-01T00:00:00Z',
      hasWebhooks: true,
      watch: { highestSequence: 0, missing: [], figuresExpectedAt: [] },
      dueAt: 0,
      leaseUntil: 0,
      granularities: [],
    });
  }

  async #look(index: number): Promise<void> {
    const deal = this.deals[index];
    if (deal === undefined || !(await this.#isKnown(deal))) return;
    this.#say(`${String(index)} is looked at`);
    const { parts, scope } = this.stage;
    await followEnds(parts, scope, [{ connectionId: deal.connection.id, sellerMediaBuyId: deal.mediaBuyId }]);
  }

  async #isKnown(deal: StoryDeal): Promise<boolean> {
    const { parts, scope } = this.stage;
    return (await parts.ports.store.sellerBuyOf(scope, deal.connection.id, deal.mediaBuyId)) !== undefined;
  }

  async #apply(): Promise<void> {
    const { parts, scope } = this.stage;
    const { ended } = await applyInbox(parts, scope);
    await followEnds(parts, scope, ended);
  }

  #answer(tool: string, args: JsonObject): JsonObject | undefined {
    const ids = args['media_buy_ids'];
    const index = this.deals.findIndex(({ mediaBuyId }) => Array.isArray(ids) && ids.includes(mediaBuyId));
    const [truth, deal] = [this.truths[index], this.deals[index]];
    if (truth === undefined || deal === undefined) return undefined;
    if (tool === 'get_media_buys') return { media_buys: [truth.snapshot(deal)] };
    const { start_date: from, end_date: to } = args;
    return truth.delivered(
      deal,
      typeof from === 'string' ? from : undefined,
      typeof to === 'string' ? to : undefined,
    );
  }

  #say(line: string): void {
    this.script.push(line);
  }
}

async function begin(
  { parts, scope, clock }: StoryStage,
  connections: readonly Connection[],
): Promise<readonly StoryDeal[]> {
  const made = makeOperation(scope, {
    sellers: connections.map(({ slug }) => slug),
    connectionIds: Object.fromEntries(connections.map(({ slug, id }) => [slug, id])),
    packagesPerLeg: 1,
    createdAt: clock.now(),
  });
  await parts.ports.store.begin(scope, made);
  return made.legs.map((leg, index): StoryDeal => {
    const connection = connections[index];
    const sellerBuy = made.sellerBuys[index];
    if (connection === undefined || sellerBuy === undefined) throw new Error('A leg has a seller.');
    const addressOf = (kind: string): string =>
      made.registrations.find((registration) => registration.legId === leg.id && registration.kind === kind)
        ?.id ?? '';
    const id = leg.id.slice(0, 8);
    return {
      connection,
      legId: leg.id,
      sellerBuyId: sellerBuy.id,
      taskAddress: addressOf('task'),
      reportAddress: addressOf('report'),
      operationId: `op-${leg.id}`,
      mediaBuyId: `their-${id}`,
      packageId: `package-${id}`,
      packageName: `package-${String(index)}`,
      taskId: `task-${id}`,
    };
  });
}

async function standing({ parts, scope }: StoryStage, deals: readonly StoryDeal[]): Promise<Standing> {
  const [first] = deals;
  const leg = await parts.ports.store.leg(scope, first?.legId ?? '');
  const state = await parts.ports.store.state(scope, leg?.operationId ?? '');
  if (state?.buy === undefined) throw new Error('The buy is there.');
  const of = (legId: string): number => deals.findIndex((deal) => deal.legId === legId);
  const inOrder = <Item extends { readonly legId: string }>(items: readonly Item[]): readonly Item[] =>
    [...items].sort((one, other) => of(one.legId) - of(other.legId));
  const impaired = (await parts.impairments.of(scope, [state.buy.id])).get(state.buy.id) ?? [];
  return {
    legs: inOrder(state.legs.map((item) => ({ ...item, legId: item.id }))).map(({ status }) => status),
    operation: state.operation.status,
    buy: state.buy.status,
    sellerBuys: inOrder(state.sellerBuys).map(({ status }) => status),
    books: await booksOfBuy(parts, scope, state.buy.id, deals),
    impairments: impaired
      .map((row) => `${(row['package_ids'] as string[])[0] ?? ''} ${row['resource_id'] as string}`)
      .sort(),
    waiting: (await parts.inbox.waiting(scope, 1)).length,
  };
}

async function booksOfBuy(
  deps: WorkerDeps,
  scope: StoryStage['scope'],
  mediaBuyId: string,
  deals: readonly StoryDeal[],
): Promise<Standing['books']> {
  const entries = await deps.ledger.entriesOf(scope, mediaBuyId);
  return deals.map(({ connection }) => {
    const days: Record<string, bigint> = {};
    for (const entry of entries.filter(({ seller }) => seller === connection.slug))
      for (const { account, day, amountMicros } of entry.postings)
        if (account === 'media_spend') days[day] = (days[day] ?? 0n) + amountMicros;
    return Object.fromEntries(
      Object.entries(days)
        .filter(([, micros]) => micros !== 0n)
        .sort(([text], [other]) => text.localeCompare(other))
        .map(([day, micros]) => [day, micros.toString()]),
    );
  });
}

/** Returns the state that a correct reader of the sellers' own data reaches. */
function modelOf(deals: readonly StoryDeal[], truths: readonly Truth[]): Standing {
  const made = truths.filter(({ task }) => task === 'completed');
  return {
    legs: truths.map(({ task }) => task),
    operation: 'completed',
    buy: made.some(({ buy }) => buy === 'active') ? 'active' : 'completed',
    sellerBuys: truths.map(({ task, buy }) => (task === 'completed' ? buy : 'rejected')),
    books: truths.map(booksOf),
    impairments: truths
      .flatMap((truth, index) =>
        [...truth.impairments.values()].map(
          (detail) =>
            `${deals[index]?.connection.slug ?? ''}:${deals[index]?.packageId ?? ''} ${detail['resource_id'] as string}`,
        ),
      )
      .sort(),
    waiting: 0,
  };
}
