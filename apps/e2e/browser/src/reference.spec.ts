import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openWindow, type Window } from './harness/browser.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';

let instance: SandboxInstance;
let window: Window;

beforeAll(async () => {
  instance = await startSandboxInstance(['--market', 'prompt', '--no-campaign']);
  window = await openWindow();
});
afterAll(async () => {
  await window.close();
  await instance.stop();
});

it('the reference of the API shows operations, schemas and events, and asks no other address', async () => {
  const { page, complaints } = window;
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== instance.url)
      elsewhere.push(request.url());
  });
  await page.goto(`${instance.url}/reference`);
  await page.getByText('One agent in front of many sellers').first().waitFor();
  await page.getByText('invoices', { exact: true }).first().waitFor();
  await page.goto(`${instance.url}/reference#tag/invoices/GET/v1/invoices`);
  await page.getByText('list_invoices_answer').or(page.getByText('/v1/invoices')).first().waitFor();
  expect(elsewhere).toEqual([]);
  // Its script tries whether it may make code of text, is refused, and goes on without.
  expect(complaints.filter((text) => !text.endsWith('policy of content: script-src eval'))).toEqual([]);
});
