import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWindow, settled, type Window } from './harness/browser.js';
import { now } from './invented/answers.js';
import { serveInvented, type InventedServer } from './invented/serve.js';

let server: InventedServer;
let window: Window;

beforeAll(async () => {
  server = await serveInvented();
  window = await openWindow({ width: 1440 });
  await window.page.clock.setFixedTime(now);
  await window.page.context().addCookies([{ name: 'who', value: 'fred', url: server.url }]);
});
afterAll(async () => {
  await window.close();
  await server.stop();
});

describe('the workbench, by keys alone', () => {
  it('decides seven differences in at most 14 keys', async () => {
    const { page } = window;
    await page.goto(`${server.url}/console/reconcile/2026-10`);
    await settled(page);
    const open = page
      .getByRole('group', { name: 'Which differences' })
      .getByRole('button', { name: /^Open/ });
    let keys = 0;
    for (let left = 7; left > 0; left -= 1) {
      await open.getByText(String(left)).waitFor();
      await page.getByRole('region', { name: 'Decision' }).locator('[aria-pressed=true]').waitFor();
      // The usual decision for the cause is chosen already; one key confirms it, and the next is there.
      await page.keyboard.press('Control+Enter');
      keys += 1;
    }
    await open.getByText('0').waitFor();
    expect(keys).toBeLessThanOrEqual(14);
    expect(window.complaints).toEqual([]);
  });
});
