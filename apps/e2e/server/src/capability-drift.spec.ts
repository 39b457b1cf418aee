import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { jsonOf } from './harness/run-switchyard.js';
import { openOrganization } from './harness/shared-instance.js';

/** A seller that can do less than before: what people are told, and what new buys wait for, on the built product. */
const folder = dataFolder();
let instance: Instance;
let seller: PlainSeller;
/** What the seller declares beside the usual. */
let declared: Json = { supported_protocols: ['media_buy', 'signals'] };

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  let count = 0;
  seller = await plainSeller(
    (tool) => {
      count += 1;
      const answers: Readonly<Record<string, Json>> = {
        get_products: { status: 'completed', products: [plainProduct] },
        create_media_buy: {
          status: 'completed',
          media_buy_id: `theirs-${String(count)}`,
          media_buy_status: 'active',
          confirmed_at: new Date().toISOString(),
          revision: 1,
          packages: [{ package_id: `part-${String(count)}`, product_id: 'p1' }],
        },
      };
      return { json: JSON.stringify({ adcp_version: '3.1', ...(answers[tool] ?? { media_buys: [] }) }) };
    },
    { capabilities: () => declared },
  );
  await admin(instance, 'POST', '/v1/sellers/import', [
    { slug: 'drifts', agent_url: seller.agentUrl, protocol: 'mcp', dialect: 'adcp' },
  ]);
});
afterAll(async () => {
  await instance.stop();
  await seller.close();
  await folder.remove();
});

const cli = (...args: readonly string[]): Promise<Json> => jsonOf<Json>([...args, '--data', folder.path]);
const account = { brand: { domain: 'roaster.example' }, operator: 'agency.example' };
const buy = async (): Promise<string> => {
  await callTask('REST', instance, 'get_products', {
    ...{ adcp_version: '3.1', buying_mode: 'brief', brief: 'x', account },
  });
  const request = buyRequest([{ product_id: 'drifts:p1', pricing_option_id: 'cpm', budget: 100 }]);
  return (await callTask('REST', instance, 'create_media_buy', request)).text;
};
const waiting = async (): Promise<readonly Json[]> =>
  list((await admin(instance, 'GET', '/v1/approvals?state=open'))['approvals']);

describe('a seller whose capabilities change', () => {
  it('is bought at without a question while they are as before', async () => {
    expect(await buy()).toContain('mb_');
    expect(await waiting()).toEqual([]);
    expect((await cli('sellers', 'test', 'drifts'))['drift']).toEqual([]);
  });

  it('is reported by a test with each difference, and by an alarm if one breaks something', async () => {
    declared = { supported_protocols: ['media_buy'], note: 'new' };
    const { drift } = await cli('sellers', 'test', 'drifts');
    expect(drift).toEqual([
      { grade: 'breaking', words: 'It no longer offers signals' },
      { grade: 'notable', path: '/supported_protocols', words: 'gone: signals' },
      { grade: 'notable', path: '/note', words: 'new' },
    ]);
    const alarms = list((await admin(instance, 'GET', '/v1/alarms'))['alarms']);
    expect(alarms).toContainEqual(
      expect.objectContaining({ kind: 'capability_drift', subject: 'seller drifts' }),
    );
  });

  it('is asked about before each new buy until a person accepts the change, which then is on record', async () => {
    // Capabilities are read again and stored.
    await admin(instance, 'POST', '/v1/sellers/drifts/suspend', {});
    await admin(instance, 'POST', '/v1/sellers/drifts/resume', {});
    const shown = await cli('sellers', 'show', 'drifts');
    expect(shown['drift']).toMatchObject({
      asks: true,
      versions: [{ version: 2, asks: true, changes: [{ grade: 'breaking' }, {}, {}] }],
    });
    const planned = buyRequest([{ product_id: 'drifts:p1', pricing_option_id: 'cpm', budget: 100 }]);
    expect(await admin(instance, 'POST', '/v1/buys/dry-run', planned)).toMatchObject({
      outcome: 'approval',
      findings: [{ code: 'SELLER_CHANGED' }],
    });
    const calls = seller.calls.filter((tool) => tool === 'create_media_buy').length;
    expect(await buy()).toContain('a person must approve');
    expect(seller.calls.filter((tool) => tool === 'create_media_buy')).toHaveLength(calls);
    expect(await waiting()).toHaveLength(1);
    const accepted = await cli('sellers', 'accept-changes', 'drifts', '--reason', 'Nobody buys its signals.');
    expect(accepted).toEqual({ slug: 'drifts', accepted: 1 });
    expect((await cli('sellers', 'show', 'drifts'))['drift']).toMatchObject({
      asks: false,
      versions: [{ version: 2, asks: false, accepted_at: expect.any(String) }],
    });
    expect(await buy()).not.toContain('a person must approve');
    expect(await waiting()).toHaveLength(1);
  });

  it('has a scorecard with each measure beside its threshold', async () => {
    const { measures } = await cli('sellers', 'scorecard', 'drifts');
    const states = Object.fromEntries(list(measures).map(({ measure, state }) => [measure, state]));
    expect(states).toMatchObject({
      answer_p95_ms: expect.stringMatching(/within|beyond/),
      failed_share: 'within',
      report_worst_minutes: 'unknown',
      breaking_changes: 'beyond',
    });
  });

  it('is judged by the thresholds that the organization has set, until the usual ones hold again', async () => {
    const judged = async (): Promise<unknown> =>
      list((await cli('sellers', 'scorecard', 'drifts'))['measures']).find(
        ({ measure }) => measure === 'breaking_changes',
      );
    const set = await cli('sellers', 'thresholds', '--measure', 'breaking_changes', '--at', '2');
    expect(list(set['thresholds'])).toContainEqual({
      measure: 'breaking_changes',
      threshold: 2,
      usual: 0,
      is_set: true,
    });
    expect(await judged()).toMatchObject({ threshold: 2, state: 'within' });
    await cli('sellers', 'thresholds', '--seller', 'drifts', '--measure', 'breaking_changes', '--at', '0');
    expect(await judged()).toMatchObject({ threshold: 0, state: 'beyond' });
    await cli('sellers', 'thresholds', '--seller', 'drifts', '--measure', 'breaking_changes', '--usual');
    expect(await judged()).toMatchObject({ threshold: 2, state: 'within' });
    await cli('sellers', 'thresholds', '--measure', 'breaking_changes', '--usual');
    expect(await judged()).toMatchObject({ threshold: 0, state: 'beyond' });
  });
});
