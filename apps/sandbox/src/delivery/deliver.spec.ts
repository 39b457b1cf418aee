import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { memoryReplayStore, noRevocations, verifySignature, webhookProfile } from '@switchyard/signing';
import { listOf, objectOf, textOf, type JsonObject } from '../json.js';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { checkSignature } from '../testkit/check-signature.js';
import { startReceiver, type ReceivedPost, type Receiver } from '../testkit/receiver.js';
import { dayOf, lastVersions, reportsOf, rowOf } from '../testkit/reports.js';
import { buyRequest, withPackage } from '../testkit/requests.js';

let sandbox: Sandbox;
/** With days so long that no buy is over before the next request is there, on whatever machine. */
let slower: Sandbox;
let receiver: Receiver;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'delivery', dayMs: 25, scale: 0.02 });
  slower = await startSandbox({ port: 0, seed: 'slower', dayMs: 400, scale: 0.02, agents: ['prompt'] });
  receiver = await startReceiver();
});
afterAll(async () => {
  await sandbox.stop();
  await slower.stop();
  await receiver.stop();
});

function agent(slug: string, of: Sandbox = sandbox) {
  const found = of.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

interface BookRow {
  readonly media_buy_id: string;
  readonly status: string;
  readonly settled: boolean;
  readonly budget_micros: string;
  readonly spend_micros: string;
  readonly packages: readonly {
    readonly days: readonly {
      readonly day: string;
      readonly spend_micros: string;
      readonly version: number;
    }[];
  }[];
}

async function bookOf(url: string, mediaBuyId: string): Promise<BookRow> {
  const books = (await (await fetch(url)).json()) as BookRow[];
  const found = books.find((row) => row.media_buy_id === mediaBuyId);
  if (!found) throw new Error('not in the books');
  return found;
}

/** Buys, and waits for the last report of the buy. */
async function played(
  slug: string,
  to: Receiver,
  of = sandbox,
  days = 5,
): Promise<{ id: string; reports: readonly JsonObject[] }> {
  const request = await buyRequest(agent(slug, of), { reporting_webhook: { url: to.url } }, days);
  const { body } = await callAgent(agent(slug, of), 'create_media_buy', request);
  const id = textOf(body['media_buy_id']) ?? '';
  await to.until((posts) => reportsOf(posts, id).some((report) => report['notification_type'] === 'final'));
  return { id, reports: reportsOf(to.posts, id) };
}

/** The verdict of the verifier that this house receives webhooks with. */
async function verdictOn(slug: string, post: ReceivedPost): Promise<unknown> {
  const names = dialects[agent(slug).dialect];
  const { keys } = (await (await fetch(agent(slug).jwks_uri)).json()) as {
    keys: (JsonObject & { kid: string })[];
  };
  const resolve = (keyid: string) => {
    const jwk = keys.find(({ kid }) => kid === keyid);
    const found = { ok: true as const, value: { jwk: jwk ?? {}, agentUrl: agent(slug).agent_url } };
    return Promise.resolve(jwk ? found : { ok: false as const, error: 'key_unknown' as const });
  };
  const ports = { keys: { resolve }, replays: memoryReplayStore(100, Date.now), revocations: noRevocations };
  const profile = webhookProfile({ ...names, useMember: names.keyUseMember });
  const message = { method: 'POST', url: post.url, headers: post.headers, body: post.bytes };
  return verifySignature(message, profile, ports, Date.now());
}

describe('delivery reports', () => {
  it.each(['prompt', 'courier', 'auction', 'behind'])(
    'of %s: one per day, one adjusted, a final, numbered without a gap, signed with the published key',
    async (slug) => {
      const { id, reports } = await played(slug, receiver);
      const kinds = reports.map((report) => report['notification_type']);
      const days = new Set(reports.map(dayOf)).size;
      expect(days).toBe(5);
      expect(kinds.filter((kind) => kind === 'scheduled')).toHaveLength(days);
      expect(kinds.filter((kind) => kind === 'adjusted')).toHaveLength(1);
      expect(kinds.at(-1)).toBe('final');
      expect(kinds.filter((kind) => kind === 'final')).toHaveLength(1);
      expect(reports.map((report) => report['sequence_number'])).toEqual(
        reports.map((_report, index) => index + 1),
      );
      expect(reports.map((report) => 'next_expected_at' in report)).toEqual(
        kinds.map((kind) => kind !== 'final'),
      );
      const posts = receiver.posts.filter((post) => reportsOf([post], id).length === 1);
      for (const post of posts) {
        const params = await checkSignature(agent(slug), post);
        expect(await verdictOn(slug, post)).toMatchObject({
          ok: true,
          signer: { agentUrl: agent(slug).agent_url },
        });
        expect(params['tag']).toBe(`${agent(slug).dialect}/webhook-signing/v1`);
        expect(post.body).toMatchObject({ status: 'completed', operation_id: `delivery_report_${id}` });
      }
      expect(new Set(posts.map(({ body }) => body['idempotency_key'])).size).toBe(posts.length);
    },
  );

  it('adjust an earlier day to other figures under the same period', async () => {
    const { reports } = await played('prompt', receiver);
    const adjusted = reports.find((report) => report['notification_type'] === 'adjusted') ?? {};
    const before = reports.find((report) => dayOf(report) === dayOf(adjusted)) ?? {};
    expect(before['notification_type']).toBe('scheduled');
    expect(adjusted['reporting_period']).toEqual(before['reporting_period']);
    expect(rowOf(adjusted)['is_adjusted']).toBe(true);
    expect(objectOf(rowOf(adjusted)['totals'])?.['spend']).not.toBe(
      objectOf(rowOf(before)['totals'])?.['spend'],
    );
  });

  it('add up, day by day, to the figures of the books and of a pull', async () => {
    for (const slug of ['prompt', 'auction']) {
      const { id, reports } = await played(slug, receiver);
      const repository = await bookOf(agent(slug).books_url, id);
      const rows = repository.packages.flatMap((part) => part.days);
      const standing = lastVersions(reports);
      expect([...standing].sort()).toEqual(rows.map((row) => [row.day, BigInt(row.spend_micros)]));
      const total = [...standing.values()].reduce((sum, micros) => sum + micros, 0n);
      expect(total.toString()).toBe(repository.spend_micros);
      expect(total).toBeLessThanOrEqual(BigInt(repository.budget_micros));
      expect(total).toBeGreaterThan(0n);
      expect(rows.filter((row) => row.version === 2)).toHaveLength(1);
      const pull = await callAgent(agent(slug), 'get_media_buy_delivery', { media_buy_ids: [id] });
      const pulled = objectOf(pull.body['delivery']) ?? objectOf(pull.body['aggregated_totals']) ?? {};
      expect(Number(pulled['spend']).toFixed(6)).toBe((Number(repository.spend_micros) / 1e6).toFixed(6));
    }
  });

  it('end with a completed buy whose stream is settled', async () => {
    const { id } = await played('prompt', receiver);
    const look = async (): Promise<BookRow> => {
      const repository = await bookOf(agent('prompt').books_url, id);
      return repository.settled ? repository : look();
    };
    expect((await look()).status).toBe('completed');
    const markets = (await (await fetch(`${sandbox.url}/books`)).json()) as {
      slug: string;
      buys: BookRow[];
    }[];
    expect(markets.find(({ slug }) => slug === 'prompt')?.buys.map((buy) => buy.media_buy_id)).toContain(id);
  });

  it('follow the approval of a human-approved buy', async () => {
    const push = { url: receiver.url, operation_id: 'op-approve' };
    const request = await buyRequest(agent('human'), {
      reporting_webhook: { url: receiver.url },
      push_notification_config: push,
    });
    await callAgent(agent('human'), 'create_media_buy', request);
    await receiver.until((posts) =>
      posts.some(({ body }) => body['operation_id'] === 'op-approve' && body['status'] === 'completed'),
    );
    const completed = receiver.posts.find(
      ({ body }) => body['operation_id'] === 'op-approve' && body['status'] === 'completed',
    );
    const id = textOf(objectOf(completed?.body['result'])?.['media_buy_id']) ?? '';
    await receiver.until((posts) =>
      reportsOf(posts, id).some((report) => report['notification_type'] === 'final'),
    );
  });

  it('of a canceled buy end at once with a final', async () => {
    const prompt = agent('prompt', slower);
    const request = await buyRequest(prompt, { reporting_webhook: { url: receiver.url } }, 14);
    const { body } = await callAgent(prompt, 'create_media_buy', request);
    const id = textOf(body['media_buy_id']) ?? '';
    await receiver.until((posts) => reportsOf(posts, id).length >= 2);
    await callAgent(prompt, 'update_media_buy', { media_buy_id: id, canceled: true });
    await receiver.until((posts) =>
      reportsOf(posts, id).some((report) => report['notification_type'] === 'final'),
    );
    const reports = reportsOf(receiver.posts, id);
    expect(rowOf(reports.at(-1) ?? {})['status']).toBe('canceled');
    expect(reports.length).toBeLessThan(14);
    const repository = await bookOf(prompt.books_url, id);
    expect([...lastVersions(reports).values()].reduce((sum, micros) => sum + micros, 0n).toString()).toBe(
      repository.spend_micros,
    );
  });

  it('of a paused buy stop, and go on to the final once it is resumed', async () => {
    const prompt = agent('prompt', slower);
    const request = await buyRequest(prompt, { reporting_webhook: { url: receiver.url } }, 10);
    const { body } = await callAgent(prompt, 'create_media_buy', request);
    const id = textOf(body['media_buy_id']) ?? '';
    const paused = await callAgent(prompt, 'update_media_buy', { media_buy_id: id, paused: true });
    expect(paused.body['media_buy_status']).toBe('paused');
    const held = await bookOf(prompt.books_url, id);
    const other = await played('prompt', receiver, slower, 2);
    expect(other.reports.length).toBeGreaterThan(0);
    expect((await bookOf(prompt.books_url, id)).spend_micros).toBe(held.spend_micros);
    await callAgent(prompt, 'update_media_buy', { media_buy_id: id, paused: false });
    await receiver.until((posts) =>
      reportsOf(posts, id).some((report) => report['notification_type'] === 'final'),
    );
    expect((await bookOf(prompt.books_url, id)).status).toBe('completed');
  });

  it('of a buy without creatives do not begin', async () => {
    const request = withPackage(await buyRequest(agent('prompt')), { creatives: [] });
    const { body } = await callAgent(agent('prompt'), 'create_media_buy', request);
    expect(body['media_buy_status']).toBe('pending_creatives');
    await played('prompt', receiver);
    const repository = await bookOf(agent('prompt').books_url, textOf(body['media_buy_id']) ?? '');
    expect(repository).toMatchObject({ status: 'pending_creatives', spend_micros: '0', settled: false });
  });

  it('are sent again after a failure: same bytes and key, another signature', async () => {
    const shaky = await startReceiver((count) => (count === 1 ? 503 : 200));
    try {
      const { id } = await played('prompt', shaky, sandbox, 2);
      await shaky.until(
        (posts) =>
          posts.filter(({ body }) => body['idempotency_key'] === posts[0]?.body['idempotency_key']).length ===
          2,
      );
      const [first, second] = shaky.posts.filter(
        ({ body }) => body['idempotency_key'] === shaky.posts[0]?.body['idempotency_key'],
      );
      expect(first && second && first.bytes.equals(second.bytes)).toBe(true);
      const nonces = await Promise.all(
        [first, second].map(async (post) => post && (await checkSignature(agent('prompt'), post))['nonce']),
      );
      expect(new Set(nonces).size).toBe(2);
      const requested = await callAgent(agent('prompt'), 'get_media_buys', {
        media_buy_ids: [id],
        include_webhook_activity: true,
      });
      const [buy] = listOf(requested.body['media_buys']) ?? [];
      expect(JSON.stringify(buy)).toContain('"http_status_code":503');
    } finally {
      await shaky.stop();
    }
  });

  it('depend on the seed, not on the clock', async () => {
    const figuresWith = async (seed: string, dayMs: number): Promise<unknown> => {
      const other = await startSandbox({ port: 0, seed, dayMs, scale: 0.02, agents: ['prompt'] });
      const { reports } = await played('prompt', receiver, other);
      await other.stop();
      return reports.map((report) => [report['notification_type'], rowOf(report)['totals']]);
    };
    const first = await figuresWith('one', 10);
    expect(await figuresWith('one', 30)).toEqual(first);
    expect(await figuresWith('two', 10)).not.toEqual(first);
  });
});
