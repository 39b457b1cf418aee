import { expect } from '@jest/globals';
import { openByMenu, openWindow, settled, signInBy, type Window } from '../harness/browser.js';
import { letIn } from './acts.js';

/** Roles with one area each: whatever a page asks beside its own list is asked of somebody who may not read it. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  approver: ['media buys: read', 'media buys: approve'],
  bookkeeper: ['ledger: read', 'ledger: write'],
};

/** People of different roles open every page of their menu: no request of a page is refused. */
export async function roles({ page: office }: Window): Promise<void> {
  for (const [role, permissions] of Object.entries(narrow)) {
    await openByMenu(office, 'People and access', 'Roles');
    const form = office.getByRole('form', { name: 'Make a role' });
    await form.getByLabel('Name').fill(role);
    for (const permission of permissions) await form.getByRole('checkbox', { name: permission }).check();
    await form.getByRole('button', { name: 'Save the role' }).click();
    await office.getByRole('region', { name: 'Roles' }).getByRole('link', { name: role }).waitFor();
  }
  for (const role of [...Object.keys(narrow), 'viewer'])
    expect([role, await refusedIn(await letIn(office, `a-${role}`, role))]).toEqual([role, []]);
}

async function refusedIn(link: string): Promise<readonly string[]> {
  const window = await openWindow();
  const { page } = window;
  const refused: string[] = [];
  try {
    await signInBy(page, link);
    page.on('response', (response) => {
      if (response.status() === 403)
        refused.push(`${new URL(page.url()).pathname}: ${new URL(response.url()).pathname}`);
    });
    const lines = page.getByRole('navigation', { name: 'Menu' }).getByRole('link');
    for (let at = 0; at < (await lines.count()); at += 1) {
      await lines.nth(at).click();
      await settled(page);
      const tabs = page.getByRole('navigation', { name: /: parts$/ }).getByRole('link');
      for (let tab = 1; tab < (await tabs.count()); tab += 1) {
        await tabs.nth(tab).click();
        await settled(page);
      }
    }
    return [...refused, ...window.complaints];
  } finally {
    await window.close();
  }
}
