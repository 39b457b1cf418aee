import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint } from './testkit/task-endpoints.js';
import { openStage, type Stage } from './testkit/stage.js';

/** How accounts are named in the forms that have none: a buyer's of ours, and ours at a seller. */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage('mcp');
  const accounts = ['brand.example', 'nova.example'].map((domain) => ({
    brand: { domain },
    operator: 'agency.example',
    billing: 'operator',
  }));
  await stage.call(
    { task: 'sync_accounts', endpoint: 'rest', dialect: 'adcp', form: '3.1' },
    { idempotency_key: randomUUID(), accounts },
    'buyer',
  );
});
afterAll(() => stage.close());

const http = ['mcp', 'a2a', 'rest'] as const;
const account = { brand: { domain: 'nova.example' }, operator: 'agency.example' };
const target = { type: 'platform', platform: 'dsp', account: 'seat_1' };
const format = { agent_url: 'https://creative.example', id: 'display_300x250' };
const codes = ({ errors }: JsonObject): readonly unknown[] =>
  Array.isArray(errors) ? errors.filter(isJsonObject).map(({ code }) => code) : [];
const send = (task: string, args: JsonObject, endpoint: (typeof http)[number] = 'rest') =>
  callAtEndpoint(endpoint, stage.at, task, args);
const activation = (seller: string): JsonObject => ({
  signal_agent_segment_id: `${seller}:seg_1`,
  deployments: [target],
});
const creative = (more: JsonObject = {}): JsonObject => ({
  creative_id: randomUUID(),
  format_id: format,
  assets: {},
  ...more,
});

describe('a buyer with several accounts', () => {
  it.each(http)('names one for activate_signal in the service form, at the %s endpoint', async (endpoint) => {
    const plain = await send('activate_signal', activation('v31'), endpoint);
    expect([codes(plain), JSON.stringify(plain)]).toEqual([
      ['ACCOUNT_AMBIGUOUS'],
      expect.stringContaining('ext.switchyard.account'),
    ]);
    for (const named of [{ account }, { ext: { switchyard: { account } } }]) {
      stage.received('activate_signal');
      const answer = await send('activate_signal', { ...activation('v31'), ...named }, endpoint);
      expect(answer).toMatchObject({ status: 'completed', sellers: [{ seller: 'v31', status: 'answered' }] });
      expect(stage.received('activate_signal')).toMatchObject([{ args: { account } }]);
    }
  });

  it.each(http)(
    'syncs creatives for one in the form of the rest of the request, at the %s endpoint',
    async (endpoint) => {
      const service = await send('sync_creatives', { account, creatives: [creative()] }, endpoint);
      expect([codes(service), 'ads_version' in service]).toEqual([[], false]);
      expect(service).toMatchObject({ status: 'completed', creatives: [{ action: 'created' }] });
      const older = { account, creatives: [creative({ name: 'One' })], assignments: {} };
      expect(codes(await send('sync_creatives', older, endpoint))).toEqual([]);
      const modern = { account, creatives: [creative({ name: 'One' })], idempotency_key: randomUUID() };
      expect(await send('sync_creatives', modern, endpoint)).toMatchObject({ ads_version: '3.0' });
    },
  );
});

describe('our account at a seller where we have several', () => {
  it.each(['service', 'v25', 'v30', 'v31'])('is named to %s if the connection has one', async (seller) => {
    const theirs = { account_id: 'ours_2' };
    await stage.sql('update connection set account = $2 where slug = $1', [
      seller,
      JSON.stringify({ accountId: theirs.account_id }),
    ]);
    stage.received('activate_signal');
    const answer = await send('activate_signal', { ...activation(seller), account });
    expect(codes(answer)).toEqual([]);
    expect(stage.received('activate_signal')).toMatchObject([{ seller, args: { account: theirs } }]);
  });
});
