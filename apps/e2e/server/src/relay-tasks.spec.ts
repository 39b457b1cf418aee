import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { waitUntil } from './harness/wait-until.js';
import { postSealed, seal, type RelayReply } from './relay/brand-agent.js';
import {
  sharedRelayStage,
  untilSealed,
  type Brand,
  type LegRow,
  type RelayStage,
} from './relay/relay-stage.js';
import type { ReceivedCall } from './relay/sealed-seller.js';
import type { SellerOptions } from './relay/seller-options.js';
import { creativeFormat, madeBuy, sealedBuy } from './relay/seller-answer.js';

/** The protocols and transports of a seller's answer to a sealed request. */
const sellers: Readonly<Record<string, SellerOptions>> = {
  'mcp-json': { protocol: 'mcp' },
  'mcp-stream': { protocol: 'mcp', streams: true },
  'a2a-json': { protocol: 'a2a' },
  'a2a-stream': { protocol: 'a2a', streams: true },
};
const slugs = Object.keys(sellers);

let stage: RelayStage;
let brand: Brand;

beforeAll(async () => {
  stage = await sharedRelayStage({ ...sellers, strict: { protocol: 'mcp', wantsSessions: true } });
  brand = await stage.brand('bikes', [...slugs, 'strict']);
});

afterAll(() => stage.close());

const account = { brand: { domain: 'bikes.example' }, operator: 'agency.example' };
const keyed = (args: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account,
  ...args,
});

/** Relays a change, and waits until the forwarded answer has been read. */
async function change(slug: string, tool: string, args: Json): Promise<{ reply: RelayReply; leg: LegRow }> {
  const reply = await stage.relay(brand, slug, tool, args);
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
  await untilSealed(stage, [reply.record]);
  const leg = await waitUntil('the answer is in our books', async () => {
    const [legRow] = await stage.legs(reply.record);
    return legRow?.status === 'completed' ? legRow : undefined;
  });
  return { reply, leg };
}

const lastSealed = (slug: string): ReceivedCall => {
  const found = stage.seller(slug).received.findLast(({ isSealed }) => isSealed);
  if (found === undefined) throw new Error(`Nothing sealed reached ${slug}.`);
  return found;
};

const asBrand = () => ({ url: stage.instance().url, token: brand.token });

describe.each(slugs)('a sealed change at %s', (slug) => {
  const mediaBuyId = `sb of ${slug}`;

  it('creates a buy here, and its answer is forwarded unchanged', async () => {
    stage.seller(slug).says('create_media_buy', (args) => madeBuy(mediaBuyId, args));
    const { reply, leg } = await change(slug, 'create_media_buy', sealedBuy());
    expect(leg).toMatchObject({ sealed: true, observed_by: 'inline' });
    expect(reply.text).toContain(mediaBuyId);
    const streams = sellers[slug]?.streams === true;
    expect(reply.headers.get('content-type')).toBe(streams ? 'text/event-stream' : 'application/json');
    if (streams) expect(reply.text).toMatch(/(notifications\/progress|"working")[\s\S]+sb of/);
  });

  it('updates that buy: paused there, it is paused here', async () => {
    const { leg } = await change(slug, 'update_media_buy', keyed({ media_buy_id: mediaBuyId, paused: true }));
    expect(leg.sealed).toBe(true);
    const [row] = await stage.database.rows<{ status: string; revision: number; id: string }>(
      `select m.status, m.revision, m.id from media_buy m join seller_buy s on s.media_buy_id = m.id
       where s.seller_media_buy_id = $1 and s.seller = $2`,
      [mediaBuyId, slug],
    );
    expect(row).toMatchObject({ status: 'paused', revision: 2 });
    const shown = await stage.cli<{ changes: readonly Json[] }>('buys', 'show', row?.id ?? '');
    expect(shown.changes).toMatchObject([{ seller: slug, operation_id: leg.operation_id }]);
  });

  it('adds a creative to the brand’s library, with its state at that seller', async () => {
    const creative = {
      creative_id: `cr-${slug}`,
      name: 'A rectangle',
      format_id: creativeFormat,
      assets: {
        main: { asset_type: 'image', url: 'https://cdn.bikes.example/1.png', width: 300, height: 250 },
      },
    };
    await change(slug, 'sync_creatives', keyed({ creatives: [creative] }));
    const { body } = await callTask('REST', asBrand(), 'list_creatives', {
      adcp_version: '3.1',
      filters: { creative_ids: [creative.creative_id] },
    });
    expect(list(body['creatives'])).toMatchObject([{ creative_id: creative.creative_id }]);
    const placements = await stage.database.rows<Json>(
      `select seller, status from creative_placement where creative_id = $1`,
      [creative.creative_id],
    );
    expect(placements).toEqual([{ seller: slug, status: 'approved' }]);
  });

  it('activates a signal, with the key that targets it', async () => {
    const destinations = [{ type: 'platform', platform: 'the-desk', account: 'a1' }];
    await change(slug, 'activate_signal', keyed({ signal_agent_segment_id: 'seg-1', destinations }));
    const rows = await stage.database.rows<Json>(
      `select a.segment_id, a.state, a.activation_key from signal_activation a
       join connection c on c.id = a.connection_id where c.slug = $1`,
      [slug],
    );
    const activation_key = { type: 'segment_id', segmentId: 'live-segment-1' };
    expect(rows).toMatchObject([{ segment_id: 'seg-1', state: 'live', activation_key }]);
  });

  it('reaches the seller byte for byte, under Switchyard’s credential', () => {
    const { headers, isSealed } = lastSealed(slug);
    expect(isSealed).toBe(true);
    expect(headers['authorization']).toBe(`Bearer ${stage.seller(slug).token}`);
    const texts = stage
      .seller(slug)
      .received.map((call) => JSON.stringify([call.headers, call.body.toString()]));
    expect(texts.filter((text) => text.includes(brand.token))).toEqual([]);
  });
});

describe('sessions that a seller requires', () => {
  const used = (): readonly (string | undefined)[] =>
    stage
      .seller('strict')
      .received.filter(({ isSealed }) => isSealed)
      .map(({ headers }) => headers['mcp-session-id']);
  const query = (as: Brand) =>
    stage.relay(as, 'strict', 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'anything',
      brand: { domain: 'bikes.example' },
    });
  let second: Brand;

  beforeAll(async () => {
    second = await stage.brand('cars', ['strict']);
  });

  it('are one per principal, reused for each request, and never the session of Switchyard’s own queries', async () => {
    for (const who of [brand, second, brand, second]) expect((await query(who)).status).toBe(200);
    const [mine, theirs, mineAgain, theirsAgain] = used();
    expect([mineAgain, theirsAgain]).toEqual([mine, theirs]);
    const own = stage
      .seller('strict')
      .received.filter(({ isSealed }) => !isSealed)
      .map(({ headers }) => headers['mcp-session-id']);
    expect(new Set([mine, theirs, ...own]).size).toBe(2 + new Set(own).size);
    expect(own.length).toBeGreaterThan(0);
  });

  it('are opened again only for the principal whose session the seller ended', async () => {
    const before = used();
    const [mine, theirs] = before;
    const session = stage.seller('strict').sessions.find(({ id }) => id === mine);
    if (session === undefined) throw new Error('The seller opened no such session.');
    session.ended = true;
    const opened = stage.seller('strict').sessions.length;
    // The seller has seen the signature, so the brand must sign a new request.
    expect(await query(brand)).toMatchObject({ status: 503, code: 'RELAY_SESSION_LOST' });
    expect((await query(brand)).status).toBe(200);
    expect((await query(second)).status).toBe(200);
    const after = used().slice(before.length);
    expect(after[0]).not.toBe(mine);
    expect(after[1]).toBe(theirs);
    expect(stage.seller('strict').sessions).toHaveLength(opened + 1);
  });

  it('of a caller are not forwarded: one in a request reaches no seller', async () => {
    const to = await stage.address('strict', brand);
    const [, theirs] = used();
    const sealed = seal(brand.key, to, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'x',
      brand: { domain: 'bikes.example' },
    });
    const riding = { ...sealed, headers: { ...sealed.headers, 'Mcp-Session-Id': theirs ?? '' } };
    const reply = await postSealed(to, brand.token, riding);
    expect(reply.headers.get('mcp-session-id')).toBeNull();
    const last = used().at(-1);
    if (reply.status === 200) expect(last).not.toBe(theirs);
    expect([200, 400]).toContain(reply.status);
  });
});
