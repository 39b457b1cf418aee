import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ensureDatabase, openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createPrincipal, createToken } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { buyRequest, Catalogue, list, type Json } from '../harness/buy-request.js';
import { dataFolder } from '../harness/data-folder.js';
import { callTask, post, type TaskResponse } from '../harness/call-task.js';
import { sandboxMarket, type SandboxMarket } from '../harness/sandbox-market.js';
import { startReplicas, type Replicas } from '../harness/replicas.js';
import { jsonOf, runSwitchyard } from '../harness/run-switchyard.js';
import {
  bouncerService,
  isInstalled,
  postgresService,
  redisService,
  type PostgresService,
  type Service,
} from '../harness/services.js';
import { waitUntil } from '../harness/wait-until.js';

/** One answers; one does its work and loses the answer. */
const sellers = ['prompt', 'losing'] as const;
/** `npm run soak` has four buyers, and runs all parts of this suite. */
const buyers = Number(process.env['REPLICA_BUYERS'] ?? 2);
const isSoak = process.env['REPLICA_BUYERS'] !== undefined;
/** Pause of a buyer between two purchases, in milliseconds: the test needs constant load, not high load. */
const thinksMs = 600;

const hasRedis = isInstalled('redis-server');
const hasBouncer = hasRedis && isInstalled('pgbouncer');
if (!hasBouncer)
  process.stderr.write(
    'not run: 1 suite of replicas behind PgBouncer, pgbouncer or redis-server are not here\n',
  );

/** One purchase: sent with the same key until it is answered, as buyers must do. */
interface Purchase {
  readonly key: string;
  answer?: Json;
  /** True if it has failed before and is repeated. */
  isRepeated?: boolean;
}

/** What works through a pooler also works without it, so except in the soak one run is enough. */
const suites = [
  ...(hasBouncer ? [{ through: 'PgBouncer in transaction mode', pooled: true }] : []),
  ...(hasBouncer && !isSoak ? [] : [{ through: 'PostgreSQL itself', pooled: false }]),
];

describe('a process with a role', () => {
  it('needs a shared database and a shared address, and says so', async () => {
    const folder = dataFolder();
    for (const role of ['http', 'workers']) {
      const { code, stderr } = await runSwitchyard(['up', '--role', role, '--data', folder.path]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`--role ${role} needs DATABASE_URL and SWITCHYARD_PUBLIC_URL`),
      ]);
    }
    await folder.remove();
  });
});

for (const { through, pooled } of suites)
  describe(`two processes of each role, through ${through}`, () => {
    const folder = dataFolder();
    const purchases: Purchase[] = [];
    const closers: (() => Promise<void>)[] = [];
    let failures: string[] = [];
    let buying = true;
    let load: Promise<void>[] = [];
    let postgres: PostgresService;
    let redis: Service | undefined;
    let sandbox: SandboxMarket;
    let replicas: Replicas;
    let catalogue: Catalogue;
    let owner: string;

    beforeAll(async () => {
      chmodSync(folder.path, 0o755);
      postgres = await postgresService(join(folder.path, 'database'));
      closers.push(() => postgres.kill());
      const made = must(await ensureDatabase(postgres.ownerUrl, 'switchyard'));
      owner = made;
      await rows(`create role plain login password 'plainly'`);
      let port = postgres.port;
      if (pooled) {
        const to = { port, database: 'switchyard', role: 'plain', password: 'plainly' };
        const bouncer = await bouncerService(join(folder.path, 'bouncer'), to);
        closers.push(() => bouncer.kill());
        port = bouncer.port;
      }
      if (hasRedis) {
        const started = await redisService();
        closers.push(() => started.kill());
        redis = started;
      }
      const env = {
        DATABASE_URL: `postgresql://plain:plainly@127.0.0.1:${String(port)}/switchyard`,
        DATABASE_OWNER_URL: owner,
        ...(redis === undefined ? {} : { REDIS_URL: `redis://127.0.0.1:${String(redis.port)}` }),
      };
      sandbox = await sandboxMarket(join(folder.path, 'market'), [...sellers, 'human']);
      closers.push(() => sandbox.stop());
      const migrated = await runSwitchyard(['migrate'], '', env);
      expect([migrated.code, migrated.stderr]).toEqual([0, '']);
      const { DATABASE_OWNER_URL: _owner, ...plain } = env;
      if (pooled) await needsMoreThanAPooler(env);
      replicas = await startReplicas(folder.path, plain);
      closers.push(() => replicas.stop());
      const to = { url: replicas.balancer.url, token: await replicas.token() };
      await sandbox.onboardAt(to);
      catalogue = await Catalogue.read(to, 5);
      const tokens = await tokensOf(buyers);
      load = tokens.map((token) => buyAllTheTime({ url: to.url, token }));
    });

    afterAll(async () => {
      buying = false;
      await Promise.allSettled(load);
      for (const close of closers.reverse()) await close();
      await folder.remove();
    });

    /** Features that a pooler does not support are refused with a suggestion, before anything is done. */
    async function needsMoreThanAPooler(env: Readonly<Record<string, string>>): Promise<void> {
      const through = { ...env, DATABASE_OWNER_URL: env['DATABASE_URL'] ?? '' };
      const migrated = await runSwitchyard(['migrate'], '', through);
      expect([migrated.code, migrated.stderr]).toEqual([
        1,
        expect.stringContaining('Set DATABASE_OWNER_URL'),
      ]);
      const { DATABASE_URL = '' } = env;
      const up = ['up', '--no-sandbox', '--data', join(folder.path, 'no-redis')];
      const started = await runSwitchyard(up, '', { DATABASE_URL });
      expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('Set REDIS_URL')]);
    }

    async function rows<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
      const client = new pg.Client({ connectionString: owner });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<T>(sql, values)).rows;
      } finally {
        await client.end();
      }
    }

    async function tokensOf(count: number): Promise<string[]> {
      const [local] = await rows<{ id: string }>(`select id from organization where slug = 'local'`);
      const store = openStore(owner);
      const tokens = [];
      for (let at = 0; at < count; at += 1) {
        const principal = await createPrincipal(store, local?.id ?? '', { permissions: allPermissions });
        tokens.push(await createToken(store, principal));
      }
      await store.close();
      return tokens;
    }

    async function buyAllTheTime(to: { url: string; token: string }): Promise<void> {
      while (buying) {
        const key = randomUUID();
        const purchase: Purchase = { key };
        purchases.push(purchase);
        const body = buyRequest(
          sellers.map((seller) =>
            catalogue.packageOf(seller, { budget: 5_000, context: { buyer_ref: key } }),
          ),
          { idempotency_key: key },
        );
        while (purchase.answer === undefined) {
          const reply = await callTask('REST', to, 'create_media_buy', body).catch((error: unknown) =>
            String((error as Error & { cause?: unknown }).cause ?? error),
          );
          if (typeof reply !== 'string' && reply.httpStatus < 300) purchase.answer = reply.body;
          else {
            purchase.isRepeated = true;
            await failed(reply);
          }
        }
        await new Promise((resolve) => setTimeout(resolve, thinksMs));
      }
    }

    async function failed(reply: TaskResponse | string): Promise<void> {
      failures.push(
        typeof reply === 'string' ? reply : `${String(reply.httpStatus)} ${reply.text.slice(0, 300)}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }

    /** Waits for more acknowledged purchases than can be in progress now, which proves that the instance works. */
    async function moreAreAcknowledged(): Promise<void> {
      const done = (): number => purchases.filter(({ answer }) => answer !== undefined).length;
      const wanted = done() + buyers + 1;
      await waitUntil('more purchases are acknowledged', () => (done() >= wanted ? true : undefined)).catch(
        (error: unknown) => {
          const printed = replicas.all.map((replica) => `${replica.name}: ${replica.printed()}`);
          throw new Error(`${String(error)}\n${[...failures.slice(-3), ...printed].join('\n')}`);
        },
      );
    }

    it('report to a buyer at any process a later decision of a seller that reached a worker by webhook', async () => {
      const token = await replicas.token();
      const key = randomUUID();
      const requested = catalogue.packageOf('human', { budget: 5_000, context: { buyer_ref: key } });
      const request = buyRequest([requested], { idempotency_key: key });
      const { body } = await callTask(
        'REST',
        { url: replicas.balancer.url, token },
        'create_media_buy',
        request,
      );
      expect(body['status']).toBe('submitted');
      const question = { adcp_version: '3.1', task_id: body['task_id'] };
      for (const { url } of replicas.all.filter(({ name }) => name.startsWith('http')))
        await waitUntil('the buyer is told that it is done', async () => {
          const received = await callTask('REST', { url, token }, 'get_task_status', question);
          return received.body['status'] === 'completed' ? true : undefined;
        });
      const arrived = await rows<{ count: number }>(`select count(*)::int as count from inbox_event`);
      expect(arrived[0]?.count).toBeGreaterThan(0);
    });

    it('continue buying when each process is killed in turn', async () => {
      await moreAreAcknowledged();
      // The second process of a role leaves the same state behind as the first, so one is enough.
      const killed = isSoak ? replicas.all : replicas.all.filter(({ name }) => name.endsWith('1'));
      for (const replica of killed) {
        await replica.kill();
        await moreAreAcknowledged();
        await replica.start();
      }
      await moreAreAcknowledged();
    });

    it('continue buying when Redis is stopped and has lost everything', async () => {
      await redis?.kill();
      await moreAreAcknowledged();
      await redis?.start();
      await moreAreAcknowledged();
    });

    it('continue buying after PostgreSQL was frozen, and after it was stopped', async () => {
      postgres.freeze();
      await waitUntil('nobody is ready', () => (replicas.balancer.ready().length === 0 ? true : undefined));
      postgres.thaw();
      await moreAreAcknowledged();
      await postgres.kill();
      await waitUntil('nobody is ready', () => (replicas.balancer.ready().length === 0 ? true : undefined));
      await postgres.start();
      await moreAreAcknowledged();
    });

    it('fail no request in a rolling restart', async () => {
      await waitUntil('both are ready', () => (replicas.balancer.ready().length === 2 ? true : undefined));
      // Purchases that the outages interrupted must have been repeated: their results are no failures of a restart.
      await waitUntil('nothing is being repeated', () =>
        purchases.some(({ answer, isRepeated }) => answer === undefined && isRepeated === true)
          ? undefined
          : true,
      );
      failures = [];
      for (const replica of replicas.all) {
        expect([replica.name, await replica.stop()]).toEqual([replica.name, 0]);
        await replica.start();
        await waitUntil('both are ready', () => (replicas.balancer.ready().length === 2 ? true : undefined));
        await moreAreAcknowledged();
      }
      expect(failures).toEqual([]);
    });

    it('lose nothing that they acknowledged, and buy nothing twice', async () => {
      buying = false;
      await Promise.all(load);
      await waitUntil('every leg has ended', async () => {
        const [open] = await rows<{ open: number }>(
          `select count(*)::int as open from leg where status not in ('completed', 'failed', 'rejected', 'canceled')`,
        );
        return open?.open === 0 ? true : undefined;
      });
      const made = await sandbox.market.booked();
      const ours = await rows<{ place: string; id: string | null; status: string }>(
        `select l.seller || ' ' || (o.request->>'idempotency_key') as place, b.seller_media_buy_id as id, l.status
         from operation o join leg l on l.operation_id = o.id left join seller_buy b on b.leg_id = l.id
         where o.task = 'create_media_buy'`,
      );
      // Every buy at a seller is known here, once; and every acknowledged purchase is at every seller.
      expect(
        ours
          .filter(({ status }) => status === 'completed')
          .map(({ place, id }) => [place, [id]])
          .sort(),
      ).toEqual([...made].sort());
      expect(purchases.filter(({ answer }) => answer === undefined)).toEqual([]);
      for (const { key } of purchases)
        for (const seller of sellers)
          expect([seller, key, made.get(`${seller} ${key}`)?.length]).toEqual([seller, key, 1]);
      process.stderr.write(`${through}: ${String(purchases.length)} purchases, all once\n`);
    });

    it('verify their ledger on every request', async () => {
      for (const how of [['--from-start'], [], ['--from-start'], []]) {
        const verified = await runSwitchyard(['ledger', 'verify', ...how, '--data', replicas.data]);
        expect([verified.code, verified.stderr]).toEqual([0, '']);
      }
    });

    it('serve only health as a worker, and the command line finds the instance', async () => {
      const workers = replicas.all.filter(({ name }) => name.startsWith('workers'));
      for (const { url } of workers) {
        const token = await replicas.token();
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
        expect((await fetch(`${url}/metrics`)).status).toBe(200);
        const refused = await post('REST', { url, token }, '/v1/tasks/get_products', '{}');
        expect(refused.httpStatus).toBe(404);
      }
      const shown = await jsonOf<{ media_buys?: Json[] }>(['buys', '--data', replicas.data]);
      expect(list(shown.media_buys ?? shown).length).toBeGreaterThan(0);
    });
  });
