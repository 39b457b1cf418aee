import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from '../harness/buy-request.js';
import { jsonOf, runSwitchyard } from '../harness/run-switchyard.js';
import { admin } from '../harness/own-everything.js';
import { waitUntil } from '../harness/wait-until.js';
import { postSealed, seal, type SealedPost } from '../relay/brand-agent.js';
import { relayStage, type Brand, type RelayStage } from '../relay/relay-stage.js';
import { madeBuy, sealedBuy } from '../relay/seller-answer.js';

let stage: RelayStage;
let brand: Brand;
let sealed: SealedPost;
let wanted: Json;

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
  // Existing records before the crash: one answered and one refused request.
  expect((await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy())).status).toBe(200);
  expect((await stage.relay(brand, 'paper', 'list_creatives', { adcp_version: '3.1' })).code).toBe(
    'DELEGATION_TASK_NOT_ALLOWED',
  );
  await allSealed();
});

afterAll(() => stage.close());

const allSealed = (): Promise<readonly Json[]> =>
  waitUntil('every record is sealed', async () => {
    const path = `/v1/custody?principal_id=${brand.id}`;
    const all = list((await admin(stage.instance(), 'GET', path))['records']);
    return all.every((row) => row['in_chain'] === true) ? all : undefined;
  });

const send = async () => postSealed(await stage.address('paper', brand), brand.token, sealed);
const made = (): readonly unknown[] =>
  stage.seller('paper').received.filter(({ body }) => body.equals(sealed.body));

describe('a sealed request whose answer was lost because the server was killed', () => {
  it('is reported as in progress, and is not sent a second time', async () => {
    wanted = sealedBuy({ context: { trace: 'the one that was lost' } });
    sealed = seal(brand.key, await stage.address('paper', brand), 'create_media_buy', wanted);
    stage.seller('paper').says('create_media_buy', () => 'never');
    const lost = send().catch(() => undefined);
    await waitUntil('the seller has it', () => (made().length === 1 ? true : undefined));
    expect(await send()).toMatchObject({ status: 409, code: 'RELAY_OUTCOME_UNKNOWN' });
    await stage.instance().kill();
    await lost;
    expect(made()).toHaveLength(1);
  });

  it('is recorded as unknown after the start, and its chain verifies', async () => {
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_twice', args));
    stage.seller('paper').says('get_media_buys', () => ({
      media_buys: [{ ...madeBuy('sb_lost', wanted), status: 'active', context: wanted['context'] }],
    }));
    await stage.restart();
    const records = await allSealed();
    expect(records.map((record) => [record['task'], record['outcome'], record['code']])).toEqual([
      // The task is in the first copy's record: a used nonce is refused before the body is read.
      [null, 'refused', 'RELAY_OUTCOME_UNKNOWN'],
      ['create_media_buy', 'unknown', null],
      ['list_creatives', 'refused', 'DELEGATION_TASK_NOT_ALLOWED'],
      ['create_media_buy', 'answered', null],
    ]);
    expect(await stage.cli('custody', 'verify', '--principal', brand.id)).toMatchObject({
      ok: true,
      records: 4,
    });
  });

  it('is still reported and not sent, and its result is found by reading', async () => {
    expect(await send()).toMatchObject({ status: 409, code: 'RELAY_OUTCOME_UNKNOWN' });
    expect(made()).toHaveLength(1);
    // We do not send it again either: it is read back from the seller, and found.
    const leg = await waitUntil('its leg is read back', async () => {
      const [row] = await stage.database.rows<Json>(
        `select l.attempts, l.observed_by, s.seller_media_buy_id from leg l join seller_buy s on s.leg_id = l.id
         where l.sealed and l.status = 'completed' and s.seller_media_buy_id = 'sb_lost'`,
      );
      return row;
    });
    expect(leg).toMatchObject({ attempts: 1, observed_by: 'read_back' });
    expect(made()).toHaveLength(1);
  });

  it('may be signed again: the seller decides by the key whether it is the same', async () => {
    const again = seal(brand.key, await stage.address('paper', brand), 'create_media_buy', wanted);
    const reply = await postSealed(await stage.address('paper', brand), brand.token, again);
    expect(reply).toMatchObject({ status: 200 });
  });

  it('leaves an export that another installation verifies without a server', async () => {
    const exported = await jsonOf<Json>([
      ...['custody', 'export', '--principal', brand.id, '--data', stage.folder.path],
    ]);
    const file = join(stage.folder.path, 'chain.json');
    writeFileSync(file, JSON.stringify(exported));
    const elsewhere = await runSwitchyard(['custody', 'verify', file, '--json', '--data', '/nonexistent']);
    expect(elsewhere.code).toBe(3);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({
      verdict: 'consistent',
      problems: [],
      records: expect.any(Number),
      head: (exported['head'] as Json)['hash'],
    });
  });
});
