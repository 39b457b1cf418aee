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

describe('what a person is told', () => {
  const sent = (path: string) =>
    window.page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(path));

  it('stands at the bell with how much is unread, and is marked as read there', async () => {
    const { page } = window;
    await page.goto(`${server.url}/console/`);
    await page.getByRole('button', { name: 'Notices: 5 unread' }).click();
    await page.getByText('Fred Okafor closed September').waitFor();
    const read = sent('/v1/notices/read');
    await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
    expect((await read).postDataJSON()).toEqual({});
  });

  it('has settings under the account: what was changed is sent, and the rest is left out', async () => {
    const { page } = window;
    await page.goto(`${server.url}/console/account`);
    const form = page.getByRole('form', { name: 'What reaches you and how' });
    await form.getByText('Mail goes to fred@nova.example.').waitFor();
    await form.getByLabel('A request waits for your approval: by mail').selectOption('daily');
    await form.getByLabel('No mail from').fill('22:00');
    await form.getByLabel('to', { exact: true }).fill('07:00');
    const saved = sent('/v1/notices/settings');
    await form.getByRole('button', { name: 'Save' }).click();
    expect((await saved).postDataJSON()).toEqual({
      digest_hour: 8,
      quiet: { from: '22:00', to: '07:00' },
      mail: { 'approval.requested': 'daily' },
    });
  });

  it('says what an assistant asks for, in full, and lets it be done once it is confirmed', async () => {
    const { page } = window;
    await page.goto(`${server.url}/console/acts/00000002-0000-4000-8000-000000000400`);
    await page.getByRole('row', { name: 'Asked finance-assistant' }).waitFor();
    await page.getByRole('row', { name: 'reason The seller billed twice.' }).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    const confirmed = sent('/v1/me/acts/00000002-0000-4000-8000-000000000400/confirm');
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await confirmed;
    await page.getByText('Confirmed. Tell the assistant to go on.').waitFor();
    expect(window.complaints).toEqual([]);
  });
});
