import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { adminRoutes } from './routes.js';

const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the documentation as static pages', () => {
  it('has no link or heading that leads nowhere, an entry for each route, and a search that finds them', () => {
    const made = spawnSync(process.execPath, [join(root, 'tools/docs-site.mjs'), folder], {
      encoding: 'utf8',
    });
    expect([made.stderr, made.status]).toEqual(['', 0]);
    const reference = readFileSync(join(folder, 'reference.html'), 'utf8');
    const index = JSON.parse(
      readFileSync(join(folder, 'search.json'), 'utf8'),
    ) as readonly (readonly string[])[];
    const found = new Set(index.map(([place]) => place));
    for (const { id } of adminRoutes) {
      expect(reference).toContain(`id="${id}"`);
      expect(found).toContain(`reference.html#${id}`);
    }
    expect(index.some(([place]) => place?.startsWith('docs/guides/finance.html#') === true)).toBe(true);
  });
});
