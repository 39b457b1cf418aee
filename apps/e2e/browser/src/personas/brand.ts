import { openByMenu, type Window } from '../harness/browser.js';

/** Grants a delegation, reads the record of a forwarded request, and verifies the chain. */
export async function brand({ page }: Window): Promise<void> {
  await openByMenu(page, 'Delegations');
  const form = page.getByRole('form', { name: 'Grant a delegation' });
  await form.getByLabel('Who delegates').selectOption({ label: 'operator (person)' });
  await form.getByLabel('To the seller').selectOption('prompt');
  await form
    .getByRole('textbox', { name: 'Until' })
    .fill(new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10));
  await form.getByLabel('Budget').fill('50000');
  await form.getByRole('button', { name: 'Grant', exact: true }).click();
  const granted = page
    .getByRole('region', { name: 'Delegations' })
    .getByRole('row')
    .filter({ hasText: 'prompt' });
  await granted.getByText('active').waitFor();
  await granted.getByRole('link', { name: 'Trail' }).click();
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('The chain holds').waitFor();
  const passed = page.getByRole('region', { name: 'What was passed on' });
  await passed.getByRole('row').nth(1).getByRole('link').click();
  for (const stage of [
    'What arrived, and how it was judged',
    'What was passed on',
    'What the seller answered',
  ])
    await page.getByRole('heading', { name: stage }).waitFor();
}
