import { Buffer } from 'node:buffer';
import {
  createMediaBuy,
  followLeg,
  isSettled,
  updateMediaBuy,
  type BuysPorts,
  type Leg,
  type Mutation,
  type OperationStore,
} from '@switchyard/buys';
import { acceptWebhook, type WebhookRegistration } from '@switchyard/events';
import { hashOfBody } from '@switchyard/journal';
import {
  createMediaBuy as createTask,
  updateMediaBuy as updateTask,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  publicJwk,
  type SigningKey,
} from '@switchyard/signing';
import {
  memoryOperationStore,
  seededRandom,
  testClock,
  type MemoryOperationStore,
  type SeededRandom,
  type TestClock,
} from '@switchyard/testing';
import { err, must, ok, Secret, type JsonObject, type Result } from '@switchyard/values';
import type { WorkerDeps } from '../../../platform/lanes/worker-deps.js';
import { sign, type Sent, type Signing } from '../../../webhooks/testkit/delivery-endpoint.js';
import { memoryImpairments, memoryInbox, memoryLedger } from '../../../webhooks/testkit/memory-stage.js';
import { applyInbox } from '../../../webhooks/in/apply-inbox.js';
import type { Planted } from './planted.js';
import { Scheduler, type Process } from './scheduler.js';
import { habits, packagesOf, SimulatedSeller } from './seller.js';

/** What a run found. */
export interface Outcome {
  /** Sentences; none: all invariants held after each step. */
  readonly violations: readonly string[];
  /** What was done from outside, to read how a violation came about. */
  readonly script: readonly string[];
  readonly turns: number;
  readonly crashes: number;
  readonly reports: number;
}

interface Options {
  readonly seed: number;
  readonly planted?: Planted;
  /** Acts that are left out, by their number: for shrinking. */
  readonly without?: ReadonlySet<number>;
}

const minute = 60_000;
const started = Date.UTC(2026, 10, 10, 12);
/** How long something happens from outside; afterwards sellers answer, and everything has to come to its end. */
const troubleMs = 40 * minute;
const quietMs = 30 * 60 * minute;
const slugs = ['one', 'two', 'three'] as const;
const deadlineMs = 15_000;
const base = 'https://buyer.example/webhooks/';
const keys = new Map<string, SigningKey>(slugs.map((slug) => [slug, generateSigningKey(`key-${slug}`)]));
const stranger = generateSigningKey('key-one');

/** One organization that buys at all three sellers. */
interface Tenant {
  readonly scope: { readonly organizationId: string };
  readonly principalId: string;
  readonly connections: readonly Connection[];
  readonly inbox: ReturnType<typeof memoryInbox>;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly impairments: ReturnType<typeof memoryImpairments>;
}

type Answered = Result<unknown, readonly TaskError[]>;

/** A request of a buyer, which repeats it with the same key until it has an answer. */
interface Asked {
  readonly name: string;
  readonly tenant: Tenant;
  readonly run: (ports: BuysPorts) => Promise<Answered>;
  answered?: string;
  tries: number;
}

/** Days of one part of a buy as its seller has them. */
interface Truth {
  readonly tenant: Tenant;
  readonly connection: Connection;
  readonly registration: WebhookRegistration;
  readonly mediaBuyId: string;
  readonly packageId: string;
  readonly operationId: string;
  readonly days: Map<number, number>;
  sequence: number;
  hasEnded: boolean;
}

/** A message that its seller sends until it is answered 200. */
interface Flying {
  readonly truth: Truth;
  readonly sender: SigningKey;
  readonly body: JsonObject;
  /** Minutes between the seller's clock and ours. */
  readonly skew: number;
  sends: number;
}

/** Plays one seed: two organizations, three sellers with bad habits, crashes at any port. Deterministic. */
export async function simulate(options: Options): Promise<Outcome> {
  return new Simulation(options).play();
}

class Simulation {
  readonly #planted: Planted | undefined;
  readonly #without: ReadonlySet<number>;
  readonly #chance: SeededRandom;
  readonly #crashes: SeededRandom;
  readonly #ids: SeededRandom;
  readonly #clock: TestClock = testClock(started);
  readonly #scheduler: Scheduler;
  readonly #store: MemoryOperationStore = memoryOperationStore();
  readonly #sellers: ReadonlyMap<string, SimulatedSeller>;
  readonly #tenants: readonly Tenant[];
  readonly #asked: Asked[] = [];
  readonly #truths: Truth[] = [];
  readonly #flying: Flying[] = [];
  readonly #violations = new Set<string>();
  readonly #script: string[] = [];
  readonly #replays;
  readonly #settled = new Map<string, string>();
  readonly #seen = new Map<string, number>();
  #process: Process = { isAlive: true };
  #crashCount = 0;
  #reports = 0;
  #lastSent: { readonly sent: Sent; readonly truth: Truth } | undefined;
  #isCalm = false;
  #judgedAt = 0;

  constructor({ seed, planted, without = new Set() }: Options) {
    this.#planted = planted;
    this.#without = without;
    this.#chance = seededRandom(seed);
    this.#crashes = seededRandom(seed + 0x5eed);
    this.#ids = seededRandom(seed + 0x1d);
    this.#scheduler = new Scheduler(seededRandom(seed + 0x7), this.#clock);
    this.#replays = memoryReplayStore(10_000, () => this.#clock.now());
    this.#sellers = new Map(
      slugs.map((slug) => [
        slug,
        new SimulatedSeller(
          this.#chance.pick(habits),
          seededRandom(this.#chance.between(0, 1e9)),
          this.#clock,
        ),
      ]),
    );
    this.#tenants = ['a', 'b'].map(() => this.#tenant());
  }

  async play(): Promise<Outcome> {
    for (const [slug, { habit }] of this.#sellers) this.#say(`${slug} is ${habit}`);
    for (const tenant of this.#tenants)
      for (const connection of tenant.connections)
        await this.#store.saveOffers(tenant.scope, [
          { connectionId: connection.id, offer: offerOf(connection.slug) },
        ]);
    this.#plan();
    this.#beat();
    const isWell = (): boolean => this.#afterEachStep();
    await this.#scheduler.runUntil(started + troubleMs, isWell);
    this.#isCalm = true;
    for (const seller of this.#sellers.values()) seller.isCalm = true;
    await this.#scheduler.runUntil(started + troubleMs + quietMs, () => isWell() && !this.#isOver());
    if (this.#violations.size === 0) this.#judgeTheEnd();
    return {
      violations: [...this.#violations],
      script: this.#script,
      turns: this.#scheduler.turns,
      crashes: this.#crashCount,
      reports: this.#reports,
    };
  }

  /** What happens from outside: requests, changes, reports, forgeries and crashes, at times that the seed gives. */
  #plan(): void {
    const count = this.#chance.between(6, 14);
    for (let at = 0; at < count; at += 1) {
      const chance = seededRandom(this.#chance.between(0, 1e9));
      const delay = this.#chance.between(0, troubleMs - 1);
      const draw = this.#chance.between(0, 99);
      // What is left out by shrinking draws its numbers all the same, so that the others stay as they were.
      if (this.#without.has(at)) continue;
      this.#clock.after(delay, () => this.#act(at, draw, chance));
    }
  }

  #act(at: number, draw: number, chance: SeededRandom): void {
    const tenant = chance.pick(this.#tenants);
    if (draw < 45 || this.#asked.length === 0) return this.#ask(this.#buy(at, tenant, chance));
    if (draw < 60) return this.#change(at, tenant, chance);
    if (draw < 85) return this.#happens(chance);
    if (draw < 92) return this.#forges(chance);
    this.#say('a crash');
    this.#crash();
  }

  /** The workers of whichever process lives, once a minute, and buyers and sellers that try again. */
  #beat(): void {
    this.#clock.after(this.#isCalm ? 5 * minute : minute, () => {
      this.#work();
      for (const asked of this.#asked) if (asked.answered === undefined && asked.tries < 30) this.#ask(asked);
      for (const flying of [...this.#flying]) void this.#deliver(flying);
      this.#beat();
    });
  }

  #work(): void {
    const process = this.#process;
    for (const tenant of this.#tenants) {
      const ports = this.#portsOf(process);
      void this.#followDue(process, ports, tenant);
      void applyInbox(this.#workersOf(process, ports, tenant), tenant.scope).catch((error: unknown) =>
        this.#wrong(`The inbox broke: ${String(error)}`),
      );
    }
  }

  async #followDue(process: Process, ports: BuysPorts, tenant: Tenant): Promise<void> {
    const due = await ports.store.dueLegs(tenant.scope, this.#clock.now(), 20);
    await Promise.all(
      due.map(async (leg) => {
        const connection = tenant.connections.find(({ id }) => id === leg.connectionId);
        if (connection === undefined) return this.#wrong('A tenant got a leg of another one.');
        const stop = new AbortController();
        const cancel = this.#clock.after(30_000, () => stop.abort());
        await followLeg(ports, tenant.scope, leg.id, { connection, signal: stop.signal })
          .catch((error: unknown) => process.isAlive && this.#wrong(`Following broke: ${String(error)}`))
          .finally(cancel);
      }),
    );
  }

  // -- Buyers

  #buy(at: number, tenant: Tenant, chance: SeededRandom): Asked {
    const some = slugs.filter(() => chance.between(0, 2) > 0);
    const chosen = some.length === 0 ? [slugs[0]] : some;
    this.#say(`${at}: ${this.#nameOf(tenant)} buys at ${chosen.join(', ')}`);
    const args = buyArgs(`a-key-of-the-buyer-${at}`, chosen);
    const read = must(createTask.readRequest(args, profile, new Map()));
    const mutation: Mutation<typeof read> = {
      ...{
        scope: tenant.scope,
        principalId: tenant.principalId,
        profile,
        version: '3.1',
        request: read,
        args,
      },
      account: { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' },
      deadlineMs,
    };
    return { name: `buy ${at}`, tenant, tries: 0, run: (ports) => createMediaBuy(ports, mutation) };
  }

  #change(at: number, tenant: Tenant, chance: SeededRandom): void {
    const buys = [...this.#store.rowsOf(tenant.scope).buys.values()];
    if (buys.length === 0) return;
    const buy = chance.pick(buys);
    const what = chance.pick([{ paused: true }, { paused: false }, { canceled: true }]);
    this.#say(`${at}: ${this.#nameOf(tenant)} says ${JSON.stringify(what)}`);
    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
    const args = { idempotency_key: `a-key-of-the-change-${at}`, account, media_buy_id: buy.id, ...what };
    const request = must(updateTask.readRequest(args, profile, new Map()));
    const mutation = {
      ...{
        scope: tenant.scope,
        principalId: tenant.principalId,
        profile,
        version: '3.1',
        request,
        args,
        deadlineMs,
      },
    };
    this.#ask({ name: `change ${at}`, tenant, tries: 0, run: (ports) => updateMediaBuy(ports, mutation) });
  }

  #ask(asked: Asked): void {
    if (!this.#asked.includes(asked)) this.#asked.push(asked);
    asked.tries += 1;
    const [process, since] = [this.#process, this.#clock.now()];
    void asked.run(this.#portsOf(process)).then(
      (result) => {
        if (!process.isAlive) return;
        if (this.#clock.now() - since > deadlineMs + 1_000)
          this.#wrong(
            `${asked.name} was answered ${String((this.#clock.now() - since) / 1_000)} s after it was asked.`,
          );
        const text = gist(result);
        // What was refused for the moment is asked again, and so is what is under way.
        if (text !== 'later') asked.answered ??= text;
      },
      (error: unknown) => {
        if (process.isAlive) this.#wrong(`${asked.name} broke: ${String(error)}`);
      },
    );
  }

  // -- Sellers' reports

  /** A seller delivers, corrects or ends, and sends a report about it. */
  #happens(chance: SeededRandom): void {
    this.#meetNewBuys();
    if (this.#truths.length === 0) return;
    const truth = chance.pick(this.#truths);
    const seller = this.#sellers.get(truth.connection.slug);
    // What a zombie sends after its end never counts, also where it overtakes the report of the end.
    if (truth.hasEnded && seller?.habit !== 'zombie') return;
    const day = chance.between(0, 4);
    const spend = chance.between(1, 10_000) / 100;
    const type = truth.hasEnded ? 'scheduled' : chance.pick(['scheduled', 'scheduled', 'adjusted', 'final']);
    truth.sequence += 1;
    if (!truth.hasEnded) truth.days.set(day, spend);
    this.#say(
      `${truth.connection.slug} sends ${type} ${day}: ${spend}${truth.hasEnded ? ', after its end' : ''}`,
    );
    truth.hasEnded ||= type === 'final';
    const body = reportOf(truth, { day, spend, type, key: chance.uuid(), at: this.#clock.now() });
    this.#reports += 1;
    const sender = keyOf(truth.connection.slug);
    const skew = chance.between(0, 9) === 0 ? chance.pick([-10, 10]) : 0;
    const flying: Flying = { truth, sender, body, skew, sends: 0 };
    this.#flying.push(flying);
    // Late, early, or in another order than they were sent in.
    this.#clock.after(chance.between(0, 5 * minute), () => void this.#deliver(flying));
    if (chance.between(0, 2) === 0)
      this.#clock.after(chance.between(0, 9 * minute), () => void this.#deliver(flying));
  }

  /** Somebody sends what the seller did not: the same bytes again, or figures under another key. */
  #forges(chance: SeededRandom): void {
    const last = this.#lastSent;
    if (last !== undefined && chance.between(0, 1) === 0) {
      this.#say('the bytes of a report come again');
      void this.#judge(this.#process, last.truth, last.sent).then((judged) => {
        if (judged) this.#wrong('Bytes that had come before were taken again.');
      });
      return;
    }
    const truth = this.#truths[0];
    if (truth === undefined) return;
    this.#say('a stranger sends a report');
    const body = reportOf(truth, {
      day: 0,
      spend: 999_999,
      type: 'adjusted',
      key: chance.uuid(),
      at: this.#clock.now(),
    });
    const bytes = Buffer.from(JSON.stringify(body));
    const kid = keyOf(truth.connection.slug).kid;
    const sent = sign({
      body: bytes,
      key: { ...stranger, kid },
      url: base + truth.registration.id,
      at: this.#clock.now(),
    });
    void this.#judge(this.#process, truth, sent).then((judged) => {
      if (judged) this.#wrong('A message that a stranger had signed was taken.');
    });
  }

  async #deliver(flying: Flying): Promise<void> {
    const { truth, sender, body, skew } = flying;
    if (!this.#flying.includes(flying)) return;
    flying.sends += 1;
    // A seller with a wrong clock sets it right after some refusals.
    const at = this.#clock.now() + (flying.sends > 5 ? 0 : skew * minute);
    const signing: Signing = {
      ...{ body: Buffer.from(JSON.stringify(body)), key: sender, url: base + truth.registration.id, at },
      nonce: Buffer.from(this.#ids.uuid()).toString('base64url'),
    };
    const sent = sign(signing);
    if (skew !== 0 && flying.sends <= 5) return void (await this.#judge(this.#process, truth, sent));
    if (await this.#judge(this.#process, truth, sent)) {
      this.#lastSent = { sent, truth };
      const place = this.#flying.indexOf(flying);
      if (place >= 0) this.#flying.splice(place, 1);
    }
  }

  /** The endpoint: true where it answered 200, which it may only after the message is stored. */
  async #judge(process: Process, truth: Truth, sent: Sent): Promise<boolean> {
    const inbox = this.#scheduler.port(process, {
      take: (accepted: Parameters<typeof truth.tenant.inbox.take>[0]) =>
        Promise.resolve(truth.tenant.inbox.take(accepted, truth.registration)),
    });
    const replays = this.#planted?.replays?.(this.#replays) ?? this.#replays;
    const judged = await acceptWebhook(
      {
        message: { method: 'POST', ...sent },
        registration: truth.registration,
        form: '3.1',
        newId: this.#ids.uuid(),
      },
      {
        keys: {
          resolve: (keyid) => Promise.resolve(this.#planted?.resolve?.(keyid, stranger) ?? resolve(keyid)),
        },
        replays: this.#scheduler.port(process, replays),
        revocations: noRevocations,
      },
      this.#clock.now(),
    );
    if (!judged.ok) return false;
    const stored = inbox.take(judged);
    if (this.#planted?.acknowledgesFirst !== true) await stored;
    return process.isAlive;
  }

  /** Parts of buys that a seller made and that we know: from now on it may report about them. */
  #meetNewBuys(): void {
    for (const tenant of this.#tenants) {
      const rows = this.#store.rowsOf(tenant.scope);
      for (const part of rows.sellerBuys.values()) {
        const isKnown = this.#truths.some(
          ({ tenant: of, mediaBuyId, connection }) =>
            of === tenant && mediaBuyId === part.sellerMediaBuyId && connection.id === part.connectionId,
        );
        if (part.sellerMediaBuyId === undefined || isKnown) continue;
        const connection = tenant.connections.find(({ id }) => id === part.connectionId);
        const registration = [...rows.registrations.values()].find(
          ({ legId, kind }) => legId === part.legId && kind === 'report',
        );
        const sold = this.#sellers
          .get(part.seller)
          ?.sold.find(({ media_buy_id: id }) => id === part.sellerMediaBuyId);
        const [packageId] = sold === undefined ? [] : packagesOf(sold);
        if (connection === undefined || registration === undefined || packageId === undefined) continue;
        const { id, legId, sellerOperationId } = registration;
        this.#truths.push({
          ...{
            tenant,
            connection,
            packageId,
            mediaBuyId: part.sellerMediaBuyId,
            days: new Map(),
            sequence: 0,
          },
          operationId: sellerOperationId,
          hasEnded: false,
          registration: {
            ...{ id, legId, sellerOperationId, kind: 'report', mode: 'signed', operationId: '' },
            ...{ organizationId: tenant.scope.organizationId, connectionId: connection.id },
            ...{ dialect: connection.dialect, sellerAgentUrl: connection.agentUrl },
          },
        });
      }
    }
  }

  // -- Processes

  #crash(): void {
    this.#process.isAlive = false;
    this.#process = { isAlive: true };
    this.#crashCount += 1;
  }

  #portsOf(process: Process): BuysPorts {
    const clock = this.#clock;
    const store: OperationStore =
      this.#planted?.store?.(
        this.#store,
        this.#tenants.map(({ scope }) => scope),
      ) ?? this.#store;
    const connections = {
      list: (scope: Tenant['scope']) => Promise.resolve(this.#tenantOf(scope).connections),
      byId: (scope: Tenant['scope'], id: string) =>
        Promise.resolve(this.#tenantOf(scope).connections.find((connection) => connection.id === id)),
    };
    const transport: BuysPorts['transport'] = {
      call: (target, { tool, args }, signal) => this.#reach(target.connectionId, tool, args, signal),
      listTools: () => Promise.resolve(ok({})),
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    return {
      store: this.#scheduler.port(process, store),
      connections: this.#scheduler.port(process, connections),
      transport: this.#scheduler.port(process, transport),
      lease: (_scope, leased) =>
        this.#scheduler.call(process, () =>
          ok(new Map(leased.map(({ id }) => [id, { keySecret: new Secret(Buffer.from(id)) }]))),
        ),
      clock: this.#planted?.clock?.(clock) ?? clock,
      ids: { uuid: () => this.#ids.uuid(), token: (prefix) => `${prefix}_${this.#ids.uuid()}` },
      callbackBase: () => 'https://us.example',
      notice: () => undefined,
    };
  }

  #workersOf(process: Process, ports: BuysPorts, tenant: Tenant): WorkerDeps {
    return {
      ports: { ...ports, impairments: tenant.impairments },
      connections: ports.connections,
      inbox: this.#scheduler.port(process, tenant.inbox.work),
      ledger: this.#scheduler.port(process, this.#planted?.ledger?.(tenant.ledger) ?? tenant.ledger),
      impairments: tenant.impairments,
      onUnexpected: (error: unknown, where: string) => this.#wrong(`${where}: ${String(error)}`),
    } as unknown as WorkerDeps;
  }

  async #reach(connectionId: string, tool: string, args: JsonObject, signal: AbortSignal) {
    const tenant = this.#tenants.find(({ connections }) => connections.some(({ id }) => id === connectionId));
    const slug = tenant?.connections.find(({ id }) => id === connectionId)?.slug ?? '';
    const seller = this.#sellers.get(slug);
    if (tenant === undefined || seller === undefined) throw new Error('The seller is one of the three.');
    const given = this.#planted?.sent?.(tool, args, this.#ids) ?? args;
    // The two organizations have an account each: their keys are their own.
    const answer = await seller.call(tool, { ...given }, signal);
    if (tool === 'create_media_buy') this.#judgeSends(slug, seller);
    return answer;
  }

  // -- Invariants

  #afterEachStep(): boolean {
    if (!this.#isCalm && this.#crashes.between(0, 399) === 0) {
      this.#say('a crash between two ports');
      this.#crash();
    }
    // What is sent is judged when it is sent; rows and entries whenever the clock has moved.
    if (this.#judgedAt !== this.#clock.now()) {
      this.#judgedAt = this.#clock.now();
      this.#judgeLegs();
      this.#judgeLedgers();
    }
    return this.#violations.size === 0;
  }

  /** A request is sent again with the same bytes under the same key, or not at all. */
  #judgeSends(slug: string, seller: SimulatedSeller): void {
    const bytes = new Map<string, string>();
    for (const { key, text } of seller.creates) {
      if ((bytes.get(key) ?? text) !== text) this.#wrong(`${slug} got other bytes under a known key.`);
      bytes.set(key, text);
    }
    const contexts = seller.sold.map(({ context }) => JSON.stringify(context));
    if (new Set(contexts).size < contexts.length) this.#wrong(`${slug} made one buy twice.`);
  }

  /** The end of a leg does not change any more, whatever comes. */
  #judgeLegs(): void {
    for (const { scope } of this.#tenants)
      for (const leg of this.#store.rowsOf(scope).legs.values()) {
        const before = this.#settled.get(leg.id);
        if (before !== undefined && before !== leg.status)
          this.#wrong(`A leg that was ${before} became ${leg.status}.`);
        if (isSettled(leg) && leg.status !== 'parked') this.#settled.set(leg.id, leg.status);
        if (leg.organizationId !== scope.organizationId) this.#wrong('A row stands in another organization.');
      }
  }

  #judgeLedgers(): void {
    for (const tenant of this.#tenants) {
      const entries = tenant.ledger.all();
      const known = this.#seen.get(tenant.scope.organizationId) ?? 0;
      if (entries.length < known) this.#wrong('An entry of the ledger is gone.');
      this.#seen.set(tenant.scope.organizationId, entries.length);
      for (const entry of entries) {
        if (hashOfBody(entry.body) !== entry.hash)
          this.#wrong('An entry of the ledger is not what was hashed.');
        const sum = entry.postings.reduce((all, { amountMicros }) => all + amountMicros, 0n);
        if (sum !== 0n) this.#wrong('The lines of an entry do not sum to zero.');
      }
    }
  }

  #isOver(): boolean {
    const isAnswered = this.#asked.every(({ answered, tries }) => answered !== undefined || tries >= 30);
    if (!isAnswered || this.#flying.length > 0) return false;
    return this.#tenants.every(({ scope, inbox }) => {
      const legs = [...this.#store.rowsOf(scope).legs.values()];
      return legs.every(isSettledOrParked) && inbox.waitingNow() === 0;
    });
  }

  #judgeTheEnd(): void {
    this.#judgeLegs();
    this.#judgeLedgers();
    for (const { name, answered } of this.#asked)
      if (answered === undefined) this.#wrong(`${name} got no answer.`);
    if (this.#flying.length > 0) this.#wrong(`${this.#flying.length} reports were never answered 200.`);
    for (const tenant of this.#tenants) this.#judgeTenant(tenant);
    for (const truth of this.#truths) this.#judgeBooks(truth);
  }

  #judgeTenant(tenant: Tenant): void {
    const rows = this.#store.rowsOf(tenant.scope);
    if (tenant.inbox.waitingNow() > 0) this.#wrong('A message was stored and never applied.');
    for (const leg of rows.legs.values()) {
      const seller = this.#sellers.get(leg.seller);
      if (!isSettledOrParked(leg))
        this.#wrong(`A leg of ${leg.task} at a ${seller?.habit ?? ''} seller stays ${leg.status}.`);
      if (leg.task !== 'create_media_buy' || seller === undefined) continue;
      const context = JSON.stringify((JSON.parse(leg.outbound) as JsonObject)['context']);
      const sold = seller.sold.filter((buy) => JSON.stringify(buy['context']) === context).length;
      if (leg.status === 'completed' && sold !== 1)
        this.#wrong(`A completed leg has ${sold} buys at its ${seller.habit} seller.`);
      if ((leg.status === 'failed' || leg.status === 'rejected') && sold !== 0)
        this.#wrong(`A ${leg.status} leg has a buy at its ${seller.habit} seller.`);
    }
  }

  /** What is booked is what the seller has, for each day, and nothing after its end. */
  #judgeBooks({ tenant, connection, mediaBuyId, days }: Truth): void {
    const part = [...this.#store.rowsOf(tenant.scope).sellerBuys.values()].find(
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
      this.#wrong(
        `The books of ${connection.slug} say ${got.join(', ')}, and the seller has ${wanted.join(', ')}.`,
      );
  }

  // -- Helpers

  #tenant(): Tenant {
    const scope = { organizationId: this.#ids.uuid() };
    return {
      scope,
      principalId: this.#ids.uuid(),
      connections: slugs.map((slug) =>
        connectionOf(
          scope.organizationId,
          this.#ids.uuid(),
          slug,
          this.#sellers.get(slug)?.isIdempotent ?? true,
        ),
      ),
      inbox: memoryInbox(scope),
      ledger: memoryLedger(scope, this.#store, () => this.#ids.uuid()),
      impairments: memoryImpairments(),
    };
  }

  #tenantOf({ organizationId }: Tenant['scope']): Tenant {
    const tenant = this.#tenants.find(({ scope }) => scope.organizationId === organizationId);
    if (tenant === undefined) throw new Error('There is no such organization.');
    return tenant;
  }

  #nameOf = (tenant: Tenant): string => ['a', 'b'][this.#tenants.indexOf(tenant)] ?? '';
  #say = (line: string): void =>
    void this.#script.push(`${String(Math.round((this.#clock.now() - started) / 1_000))} s: ${line}`);
  #wrong = (line: string): void => void this.#violations.add(line);
}

const profile = { dialect: 'adcp' as const, form: '3.1' as const };
const isSettledOrParked = (leg: Leg): boolean => isSettled(leg) || leg.status === 'parked';
const dayOf = (day: number): string => new Date(Date.UTC(2026, 10, 1 + day)).toISOString();

/** What a buyer makes of an answer; `later` where the same request is to be sent again. */
function gist(result: Answered): string {
  if (result.ok) return 'done';
  const codes = result.error.map(({ code }) => code).join();
  return /SERVICE_UNAVAILABLE|IN_FLIGHT|RATE_LIMITED|CONFLICT/.test(codes) ? 'later' : codes;
}

function keyOf(slug: string): SigningKey {
  const key = keys.get(slug);
  if (key === undefined) throw new Error('The seller is one of the three.');
  return key;
}

function resolve(keyid: string) {
  for (const [slug, key] of keys)
    if (key.kid === keyid)
      return ok({ jwk: publicJwk(key, ['ads_use']), agentUrl: `https://${slug}.example/mcp` });
  return err('key_unknown' as const);
}

function buyArgs(key: string, chosen: readonly string[]): JsonObject {
  return {
    idempotency_key: key,
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2027-01-01T00:00:00Z',
    packages: chosen.map((slug, index) => ({
      ...{ product_id: `${slug}:ctv`, pricing_option_id: 'cpm', budget: 1_000_000 + index },
      context: { line: index },
    })),
  };
}

interface Reported {
  readonly day: number;
  readonly spend: number;
  readonly type: string;
  readonly key: string;
  readonly at: number;
}

function reportOf(truth: Truth, { day, spend, type, key, at }: Reported): JsonObject {
  const row = { spend, impressions: Math.round(spend * 100) };
  return {
    idempotency_key: key,
    operation_id: truth.operationId,
    task_id: 'delivery',
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    timestamp: new Date(at).toISOString(),
    status: 'completed',
    result: {
      notification_type: type,
      sequence_number: truth.sequence,
      reporting_period: { start: dayOf(day), end: dayOf(day + 1) },
      currency: 'USD',
      media_buy_deliveries: [
        {
          ...{ media_buy_id: truth.mediaBuyId, status: 'active', totals: row },
          by_package: [{ package_id: truth.packageId, ...row, currency: 'USD' }],
        },
      ],
    },
  };
}

function offerOf(seller: string) {
  return {
    ...{
      seller,
      productId: 'ctv',
      name: 'Connected TV',
      reportingFrequencies: ['daily' as const],
      offeredAt: 0,
    },
    pricingOptions: [
      { pricingOptionId: 'cpm', model: 'cpm' as const, currency: 'USD', auction: false, fixedPrice: '12.5' },
    ],
  };
}

function connectionOf(organizationId: string, id: string, slug: string, isIdempotent: boolean): Connection {
  return {
    ...{ id, organizationId, slug, name: slug, agentUrl: `https://${slug}.example/mcp`, protocol: 'mcp' },
    ...{ dialect: 'ads', configuredForm: '3.1', form: '3.1', kinds: ['sales'], state: 'live' },
    ...{ legacyWebhooks: false, isSandbox: false },
    capabilities: {
      ...{ supportedVersions: [], protocols: ['media_buy'], idempotency: { supported: isIdempotent } },
      ...{ publisherDomains: [], pricingModels: [], reportingByWebhook: true, windowedPullGranularities: [] },
      ...{ requestSigning: { supported: false, requiredFor: [] }, webhookSigning: true, original: {} },
    },
  };
}
