import { expect } from '@jest/globals';
import { openByMenu, type Window } from '../harness/browser.js';

/** Characters that change the direction of the following text: `gnp.exe` would be shown as `exe.png`. */
const marks = /[\u202A-\u202E\u2066-\u2069\u200E\u200F]/;
const hostile = `<img src=x onerror="document.title='hurt'"><script>document.title='hurt'</script>\u202Egnp.exe\u2066 ${'W'.repeat(80)}`;

/** A seller gets a name that would harm a careless page. On a phone, where a long word exceeds the width. */
export async function hostileNames({ page }: Window): Promise<void> {
  await openByMenu(page, 'Sellers');
  const list = page.getByRole('region', { name: 'Sellers' });
  await list.getByRole('link', { name: 'signals-later', exact: true }).click();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const form = page.getByRole('form', { name: 'Edit' });
  const name = form.getByRole('textbox', { name: 'Name' });
  const save = form.getByRole('button', { name: 'Save' });

  await name.fill('W'.repeat(10_000));
  await save.click();
  await form.getByRole('alert').waitFor();
  expect((await name.inputValue()).length).toBe(10_000);

  await page.setViewportSize({ width: 360, height: 740 });
  try {
    await name.fill(hostile);
    await save.click();
    await page.getByRole('heading', { level: 1 }).getByText('<script>').waitFor();
    await harmless(page);
    await page.goto(new URL('/console/sellers', page.url()).href);
    await list.getByText('<script>').waitFor();
    await harmless(page);
    await planOf(page, hostile);
    await page
      .getByRole('region', { name: 'Before you buy' })
      .getByText(/<script>/)
      .first()
      .waitFor();
    await harmless(page);
  } finally {
    await page.setViewportSize({ width: 1280, height: 900 });
  }
}

/** Opens the plan of a product with this name, as if a seller had offered it. */
async function planOf(page: Window['page'], name: string): Promise<void> {
  const clean = name.replaceAll(new RegExp(marks, 'g'), '');
  const line = {
    name: clean,
    seller: 'prompt',
    productId: 'prompt:p',
    pricingOptionId: 'o',
    currency: 'USD',
  };
  const text = JSON.stringify({
    lines: [{ ...line, price: '1', minimum: '', budget: '', bid: '', formats: [] }],
  });
  await page.evaluate(
    `fetch('/v1/me').then((answer) => answer.json()).then(({ principal_id: id }) =>
      localStorage.setItem('switchyard.basket.' + id, ${JSON.stringify(text)}))`,
  );
  await page.goto(new URL('/console/plans/new', page.url()).href);
}

interface Seen {
  readonly text: string;
  readonly title: string;
  readonly images: number;
  readonly isolated: boolean;
  readonly tooWide: number;
}

/** The name is shown as text, in the right direction, and the page is no wider than the screen. */
async function harmless(page: Window['page']): Promise<void> {
  const seen = await page.evaluate<Seen>(`({
    text: document.body.innerText,
    title: document.title,
    images: document.querySelectorAll('img').length,
    isolated: [...document.querySelectorAll('bdi')].some((one) => one.textContent.includes('<script>')),
    tooWide: document.documentElement.scrollWidth - window.innerWidth,
  })`);
  expect(seen.text).toContain('gnp.exe');
  expect(seen.text).not.toMatch(marks);
  expect(seen.title).not.toBe('hurt');
  expect(seen.images).toBe(0);
  expect(seen.isolated).toBe(true);
  expect(seen.tooWide).toBeLessThanOrEqual(0);
}
