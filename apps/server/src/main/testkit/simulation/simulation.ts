import {
  createMediaBuy,
  followLeg,
  updateMediaBuy,
  type BuysPorts,
  type Mutation,
  type OperationStore,
} from '@switchyard/buys';
import { createMediaBuy as createTask, updateMediaBuy as updateTask } from '@switchyard/protocol';
import {
  memoryOperationStore,
  seededRandom,
  testClock,
  type MemoryOperationStore,
  type SeededRandom,
  type TestClock,
} from '@switchyard/testing';
import { must, ok, Secret, type JsonObject } from '@switchyard/values';
import type { WorkerDeps } from '../../../platform/lanes/worker-deps.js';
import { memoryImpairments, memoryInbox, memoryLedger } from '../../../webhooks/testkit/memory-stage.js';
import { applyInbox } from '../../../webhooks/in/apply-inbox.js';
import { Invariants } from './invariants.js';
import type { Planted } from './planted.js';
import { Reports } from './reports.js';
import { Scheduler, type Process } from './scheduler.js';
import { habits, SimulatedSeller } from './seller.js';
import {
  buyArgs,
  connectionOf,
  deadlineMs,
  gist,
  isSettledOrParked,
  minute,
  offerOf,
  profile,
  quietMs,
  slugs,
  started,
  troubleMs,
  type Asked,
  type Tenant,
  type World,
} from './world.js';

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
  readonly #violations = new Set<string>();
  readonly #script: string[] = [];
  readonly #reports: Reports;
  readonly #invariants: Invariants;
  #process: Process = { isAlive: true };
  #crashCount = 0;
  #isCalm = false;
  #judgedAt = 0;

  constructor({ seed, planted, without = new Set() }: Options) {
    this.#planted = planted;
    this.#without = without;
    this.#chance = seededRandom(seed);
    this.#crashes = seededRandom(seed + 0x5eed);
    this.#ids = seededRandom(seed + 0x1d);
    this.#scheduler = new Scheduler(seededRandom(seed + 0x7), this.#clock);
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
    const world: World = {
      ...{ planted, clock: this.#clock, ids: this.#ids, scheduler: this.#scheduler, store: this.#store },
      ...{ sellers: this.#sellers, tenants: this.#tenants, say: this.#say, wrong: this.#wrong },
      process: () => this.#process,
    };
    this.#reports = new Reports(world);
    this.#invariants = new Invariants(world);
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
      reports: this.#reports.count,
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
    if (draw < 85) return this.#reports.happens(chance);
    if (draw < 92) return this.#reports.forges(chance);
    this.#say('a crash');
    this.#crash();
  }

  /** The workers of whichever process lives, once a minute, and buyers and sellers that try again. */
  #beat(): void {
    this.#clock.after(this.#isCalm ? 5 * minute : minute, () => {
      this.#work();
      for (const asked of this.#asked) if (asked.answered === undefined && asked.tries < 30) this.#ask(asked);
      for (const flying of [...this.#reports.flying]) void this.#reports.deliver(flying);
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
    if (tool === 'create_media_buy') this.#invariants.judgeSends(slug, seller);
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
      this.#invariants.judgeLegs();
      this.#invariants.judgeLedgers();
    }
    return this.#violations.size === 0;
  }

  #isOver(): boolean {
    const isAnswered = this.#asked.every(({ answered, tries }) => answered !== undefined || tries >= 30);
    if (!isAnswered || this.#reports.flying.length > 0) return false;
    return this.#tenants.every(({ scope, inbox }) => {
      const legs = [...this.#store.rowsOf(scope).legs.values()];
      return legs.every(isSettledOrParked) && inbox.waitingNow() === 0;
    });
  }

  #judgeTheEnd(): void {
    this.#invariants.judgeLegs();
    this.#invariants.judgeLedgers();
    for (const { name, answered } of this.#asked)
      if (answered === undefined) this.#wrong(`${name} got no answer.`);
    if (this.#reports.flying.length > 0)
      this.#wrong(`${this.#reports.flying.length} reports were never answered 200.`);
    for (const tenant of this.#tenants) this.#invariants.judgeTenant(tenant);
    for (const truth of this.#reports.truths) this.#invariants.judgeBooks(truth);
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
