import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startReceiver } from '@switchyard/testing';
import { buyRequest, Catalogue, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
const receiver = await startReceiver();
let instance: Instance;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
});

afterAll(async () => {
  await instance.stop();
  await receiver.close();
  await folder.remove();
});

const numbersAt = (path: string): readonly number[] => [
  ...new Set(
    receiver.received
      .filter((report) => report.path === path)
      .map(({ body }) => Number((body['result'] as Json | undefined)?.['sequence_number'])),
  ),
];

it('an update with another reporting_webhook moves the reports there, also among its updates, and their numbers continue', async () => {
  const catalogue = await Catalogue.read(instance);
  const webhook = (path: string): Json => ({
    reporting_webhook: { url: `${receiver.url}${path}`, reporting_frequency: 'daily' },
  });
  const flight = { end_time: new Date(Date.now() + 40 * 86_400_000).toISOString() };
  const request = buyRequest([catalogue.packageOf('prompt')], { ...flight, ...webhook('/old') });
  const made = await callTask('REST', instance, 'create_media_buy', request);
  await waitUntil('the first address has a report', () => numbersAt('/old')[0]);
  const changed = await callTask('REST', instance, 'update_media_buy', {
    adcp_version: '3.1',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    media_buy_id: made.body['media_buy_id'],
    ...webhook('/new'),
  });
  expect(changed.errors).toEqual([]);
  await waitUntil('the second address has two reports', () => numbersAt('/new')[1]);
  const again = await callTask('REST', instance, 'update_media_buy', {
    media_buy_id: made.body['media_buy_id'],
    updates: webhook('/last'),
  });
  expect(again.errors).toEqual([]);
  await waitUntil('the last address has a report', () => numbersAt('/last')[0]);
  // A report can arrive after the next one.
  const [before, after, last] = await waitUntil('every report has arrived', () => {
    const numbers = [numbersAt('/old'), numbersAt('/new'), numbersAt('/last')] as const;
    const all = numbers.flat();
    return Math.max(...all) === all.length ? numbers : undefined;
  });
  expect(Math.min(...after)).toBe(Math.max(...before) + 1);
  expect(Math.min(...last)).toBe(Math.max(...after) + 1);
});
