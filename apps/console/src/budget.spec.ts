import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

/** What a browser may have to load before the first page is there, in bytes; scripts and styles gzipped. */
const budgets = { scripts: 250_000, styles: 22_000, fonts: 50_000 };
const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** The files that the document names, and all that these import at once. */
function initialScripts(): ReadonlySet<string> {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/console\/([^"]+\.js)"/g)].map(([, name]) => name!);
  const files = new Set<string>();
  const add = (name: string): void => {
    if (files.has(name)) return;
    files.add(name);
    const text = readFileSync(join(dist, name), 'utf8');
    for (const [, other] of text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
      add(`assets/${other}`);
  };
  for (const name of named) add(name);
  return files;
}

describe('the built console', () => {
  it('is built before its specs run', () => {
    expect(existsSync(join(dist, 'index.html'))).toBe(true);
  });

  it('loads at most 250 KB of gzipped scripts before its first page', () => {
    const sizes = [...initialScripts()].map(
      (name) => [name, gzipSync(readFileSync(join(dist, name)), { level: 9 }).length] as const,
    );
    expect(sizes.length).toBeGreaterThan(1);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    expect({ sizes, total, isWithin: total <= budgets.scripts }).toMatchObject({ isWithin: true });
  });

  it('loads at most 22 KB of gzipped styles and 50 KB of fonts before its first page', () => {
    const page = readFileSync(join(dist, 'index.html'), 'utf8');
    const named = (ending: string): readonly Buffer[] =>
      [...page.matchAll(/href="\/console\/([^"]+)"/g)]
        .map(([, name = '']) => name)
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(dist, name)));
    const styles = named('.css').reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    const fonts = named('.woff2').reduce((sum, file) => sum + file.length, 0);
    expect({ styles, isWithin: styles > 0 && styles <= budgets.styles }).toMatchObject({ isWithin: true });
    expect({ fonts, isWithin: fonts > 0 && fonts <= budgets.fonts }).toMatchObject({ isWithin: true });
  });

  it('has no inline script and no address of another origin in its document', () => {
    const page = readFileSync(join(dist, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
