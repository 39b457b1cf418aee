import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * What axe runs in each theme. The themes differ in colors alone, so only the rules about colors (`cat.color` of axe) run in
 * the second one too: color-contrast and link-in-text-block.
 */
const rulesIn = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly html: string }[];
}

/** Shows the page in a theme. Pages without scripts follow the browser; the console has an attribute. */
async function showIn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  const attribute = 'data-mantine-color-scheme';
  await page.locator(`html[${attribute}=${scheme}], html:not([${attribute}])`).waitFor({ state: 'attached' });
}

/** What axe finds on a page as it is now, in both themes. Only what it finds is prepared: `resultTypes`. */
export async function violationsIn(page: Page): Promise<readonly string[]> {
  const all: string[] = [];
  await page.evaluate(axe);
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    const found = await page.evaluate<readonly Violation[]>(
      `axe.run({ runOnly: ${JSON.stringify(rulesIn[scheme])}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target, html }) => ({ target, html })) })))`,
    );
    all.push(
      ...found.flatMap(({ id, nodes }) =>
        nodes
          .slice(0, 3)
          .map(({ target, html }) => `${scheme}: ${id} at ${JSON.stringify(target)}: ${html.slice(0, 200)}`),
      ),
    );
  }
  return all;
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/**
 * Fails if the page as it is now violates WCAG 2.2 AA in a theme or is wider than its window, on a desk and on a phone.
 * `SWITCHYARD_PICTURES` names a folder that gets a picture of each.
 */
export async function looksRight(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  const folder = process.env['SWITCHYARD_PICTURES'];
  const faults: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    faults.push(...(await violationsIn(page)).map((fault) => `${name}, ${size.width}, ${fault}`));
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > size.width) faults.push(`${name} is ${width} wide in a window of ${size.width}`);
    if (folder === undefined) continue;
    mkdirSync(folder, { recursive: true });
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      await page.screenshot({ path: join(folder, `${name}-${size.width}-${scheme}.png`), fullPage: true });
    }
  }
  await showIn(page, 'light');
  await page.setViewportSize(before);
  expect(faults).toEqual([]);
}
