import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from './harness/buy-request.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import { seal } from './relay/brand-agent.js';
import { sharedRelayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';

const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};
const megabyte = 1024 * 1024;

let stage: RelayStage;
let brand: Brand;

beforeAll(async () => {
  stage = await sharedRelayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
});

afterAll(() => stage.close());

/** The brand's side of one sealed request. The test controls how its answer is read. */
interface Listener {
  readonly answer: IncomingMessage;
  readonly record: string;
  /** Everything that was read. */
  received(): string;
  /** Resolves when the answer has ended: `whole`, or `broken` if it was interrupted. */
  readonly ended: Promise<'whole' | 'broken'>;
  hangUp(): void;
}

async function listen(tool: string, args: Json, reads = true): Promise<Listener> {
  const to = await stage.address('paper', brand);
  const { headers, body } = seal(brand.key, to, tool, args);
  const sent = request(to.relay_mcp_url ?? '', {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${brand.token}`, 'content-length': body.length },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  sent.end(body);
  const answer = await answered;
  sent.on('error', () => undefined);
  let text = '';
  const ended = new Promise<'whole' | 'broken'>((resolve) => {
    answer.once('close', () => resolve(answer.complete ? 'whole' : 'broken'));
  });
  answer.on('error', () => undefined);
  if (reads) answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return {
    answer,
    record: String(answer.headers['switchyard-custody-record']),
    received: () => text,
    ended,
    hangUp: () => void sent.destroy(),
  };
}

/** The seller's side of the next sealed call, whose answer starts as an event stream. */
function nextStream(
  tool: string,
): Promise<{ readonly stream: ServerResponse; readonly id: number | string }> {
  return new Promise((resolve) => {
    stage.seller('paper').lets(tool, (stream, id) => {
      stream.writeHead(200, { 'content-type': 'text/event-stream' });
      resolve({ stream, id });
    });
  });
}

const eventOf = (message: Json): string => `data: ${JSON.stringify(message)}\n\n`;
const progressOf = (at: number, more: Json = {}): string =>
  eventOf({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p', progress: at, ...more },
  });
const resultOf = (id: number | string, payload: Json): string =>
  eventOf({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: JSON.stringify(payload) }], structuredContent: payload },
  });
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const shownOf = async (record: string): Promise<Json> => {
  await untilSealed(stage, [record]);
  return (await stage.cli<{ record: Json }>('custody', 'show', record)).record;
};

describe('an answer that is a stream of events', () => {
  it('reaches the brand event by event: the first one before the seller has sent the last', async () => {
    const begun = nextStream('create_media_buy');
    const asking = listen('create_media_buy', sealedBuy());
    const { stream, id } = await begun;
    stream.write(progressOf(1));
    const brandSide = await asking;
    expect(brandSide.answer.headers['content-type']).toBe('text/event-stream');
    await waitUntil('the first event', () => (brandSide.received() === progressOf(1) ? true : undefined));
    stream.write(progressOf(2));
    await waitUntil('the second', () =>
      brandSide.received() === progressOf(1) + progressOf(2) ? true : undefined,
    );
    expect(stream.writableEnded).toBe(false);
    const last = resultOf(id, madeBuy('sb_streamed', sealedBuy()));
    stream.end(last);
    expect(await brandSide.ended).toBe('whole');
    const whole = progressOf(1) + progressOf(2) + last;
    expect(brandSide.received()).toBe(whole);
    expect(await shownOf(brandSide.record)).toMatchObject({
      outcome: 'answered',
      answer: { status: 200, bodyHash: hashOf(whole), bytes: Buffer.byteLength(whole), complete: true },
    });
    expect(await buyIs('sb_streamed')).toBe('completed');
  });

  it('waits for a slow brand: the seller is slowed down, and no buffer grows', async () => {
    const begun = nextStream('get_products');
    const asking = listen('get_products', question, false);
    const { stream } = await begun;
    const before = rssOf(stage.instance().pid);
    const event = progressOf(1, { message: 'x'.repeat(64 * 1024) });
    let poured = 0;
    // Until nothing more is read from the seller for a while, or it has sent more than any buffer holds.
    const pour = (): void => {
      while (poured < 256 * megabyte) {
        poured += event.length;
        if (!stream.write(event)) return void stream.once('drain', pour);
      }
    };
    pour();
    const brandSide = await asking;
    let last = -1;
    await waitUntil('the seller is held back', async () => {
      const still = poured === last;
      last = poured;
      await new Promise((resolve) => setTimeout(resolve, 400));
      return still ? true : undefined;
    });
    expect(poured).toBeLessThan(64 * megabyte);
    expect(rssOf(stage.instance().pid) - before).toBeLessThan(64 * megabyte);
    brandSide.hangUp();
    await waitUntil('the seller is told', () => (stream.destroyed ? true : undefined));
    expect(await shownOf(brandSide.record)).toMatchObject({
      outcome: 'unknown',
      answer: { complete: false },
    });
  });

  it('is aborted at the seller when a brand disconnects during a read, and recorded as such', async () => {
    const begun = nextStream('get_products');
    const asking = listen('get_products', question);
    const { stream } = await begun;
    stream.write(progressOf(1));
    const brandSide = await asking;
    await waitUntil('the first event', () => (brandSide.received() === '' ? undefined : true));
    const gone = new Promise<void>((resolve) => stream.once('close', resolve));
    brandSide.hangUp();
    await gone;
    expect(await shownOf(brandSide.record)).toMatchObject({
      outcome: 'unknown',
      answer: { bodyHash: hashOf(progressOf(1)), bytes: progressOf(1).length, complete: false },
    });
  });

  it('is read to its end when a brand disconnects during a change, and its result is stored', async () => {
    const begun = nextStream('create_media_buy');
    const asking = listen('create_media_buy', sealedBuy());
    const { stream, id } = await begun;
    stream.write(progressOf(1));
    const brandSide = await asking;
    await waitUntil('the first event', () => (brandSide.received() === '' ? undefined : true));
    brandSide.hangUp();
    expect(await brandSide.ended).toBe('broken');
    const last = resultOf(id, madeBuy('sb_unheard', sealedBuy()));
    stream.end(last);
    expect(await shownOf(brandSide.record)).toMatchObject({
      outcome: 'answered',
      answer: { bodyHash: hashOf(progressOf(1) + last), complete: true },
    });
    expect(await buyIs('sb_unheard')).toBe('completed');
  });

  it('is aborted for the brand when the seller aborts it, never ended as complete', async () => {
    const begun = nextStream('create_media_buy');
    const asking = listen('create_media_buy', sealedBuy());
    const { stream } = await begun;
    stream.write(progressOf(1));
    const brandSide = await asking;
    await waitUntil('the first event', () => (brandSide.received() === '' ? undefined : true));
    stream.destroy();
    expect(await brandSide.ended).toBe('broken');
    expect(await shownOf(brandSide.record)).toMatchObject({
      outcome: 'unknown',
      answer: { bodyHash: hashOf(progressOf(1)), complete: false },
    });
    // It is unknown whether it bought, so the leg is neither completed nor failed; it is read back.
    expect(await stage.legs(brandSide.record)).toMatchObject([{ status: 'sent', sealed: true }]);
    expect(await stage.cli('custody', 'verify', '--principal', brand.id)).toMatchObject({ ok: true });
  });
});

describe('an answer that contains Switchyard’s credential', () => {
  it('raises an alarm that names the seller, without the credential', async () => {
    const { token } = stage.seller('paper');
    stage.seller('paper').lets('create_media_buy', (answer, id) => {
      const result = { content: [], structuredContent: { debug: `Bearer ${token}` } };
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const { ended } = await listen('create_media_buy', sealedBuy());
    expect(await ended).toBe('whole');
    const listed = await waitUntil('the alarm stands', async () => {
      const text = JSON.stringify(await admin(stage.instance(), 'GET', '/v1/alarms'));
      return text.includes('credential_echoed') ? text : undefined;
    });
    expect(listed).toContain('seller paper');
    expect(listed).not.toContain(token);
  });

  it('reaches no brand, complete or as a stream, and is not stored; its result is left to be read later', async () => {
    const { token } = stage.seller('paper');
    stage.seller('paper').lets('create_media_buy', (answer, id) => {
      const payload = { ...madeBuy('sb_echo', sealedBuy()), debug: { authorization: `Bearer ${token}` } };
      const result = { content: [], structuredContent: payload };
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const whole = await listen('create_media_buy', sealedBuy());
    expect(await whole.ended).toBe('whole');
    expect([whole.answer.statusCode, whole.received().includes('RELAY_ANSWER_WITHHELD')]).toEqual([
      502,
      true,
    ]);

    const begun = nextStream('get_products');
    const asking = listen('get_products', question);
    const { stream } = await begun;
    stream.write(progressOf(1));
    const streamed = await asking;
    await waitUntil('the first event', () => (streamed.received() === '' ? undefined : true));
    // In two parts, so that neither contains the complete token.
    const event = progressOf(2, { message: `Bearer ${token}` });
    const middle = event.indexOf(token) + 5;
    stream.write(event.slice(0, middle));
    await waitUntil('the first piece', () => (streamed.received().length < middle ? undefined : true));
    stream.write(event.slice(middle));
    expect(await streamed.ended).toBe('broken');

    for (const listener of [whole, streamed]) {
      expect(listener.received()).not.toContain(token);
      expect(JSON.stringify(listener.answer.headers)).not.toContain(token);
      expect(await shownOf(listener.record)).toMatchObject({ code: 'RELAY_ANSWER_WITHHELD' });
    }
    const texts = await stage.database.texts();
    expect(texts.filter(({ text }) => text.includes(token)).map(({ place }) => place)).toEqual([]);
    expect(await stage.legs(whole.record)).toMatchObject([{ status: 'sent', sealed: true }]);
  });
});

const buyIs = (sellerBuyId: string): Promise<string> =>
  waitUntil('the buy is in our books', async () => {
    const [row] = await stage.database.rows<{ status: string }>(
      `select l.status from seller_buy b join leg l on l.id = b.leg_id where b.seller_media_buy_id = $1`,
      [sellerBuyId],
    );
    return row?.status;
  });

/** Returns the resident memory of a process in bytes. */
function rssOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
