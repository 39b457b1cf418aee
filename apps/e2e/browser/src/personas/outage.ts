import { menuLine, openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import type { SandboxInstance } from '../harness/sandbox-instance.js';
import { confirm, letIn } from './acts.js';

/**
 * The server cannot be reached for a while, then an administrator ends the session, and then somebody else signs in in
 * the same browser. Each time the page says so by itself.
 */
export async function outage({ page: office }: Window, instance: SandboxInstance): Promise<void> {
  const nora = await openWindow();
  const { page } = nora;
  const browser = page.context();
  try {
    await signInBy(page, await letIn(office, 'nora', 'trader'));
    await browser.setOffline(true);
    await menuLine(page, 'Creatives').click();
    await page.getByText('The server did not answer.').waitFor();
    await browser.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Creatives' }).waitFor();

    await openByMenu(page, 'Ask the market');
    const brief = page.getByLabel('Brief');
    await brief.fill('video for a bike shop');
    await confirm(office, 'End it');
    await page.getByRole('dialog', { name: /^Your session has ended/ }).waitFor();
    const other = await browser.newPage();
    await signInBy(other, instance.link());
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.locator('button.account').getByText('operator', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Ask the market' }).waitFor();
    // What somebody else typed is not shown.
    await brief.and(page.locator(':empty')).waitFor();
  } finally {
    await nora.close();
  }
}
