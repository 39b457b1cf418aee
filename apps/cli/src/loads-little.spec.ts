import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { modulesLoadedBy } from '@switchyard/testing';

const bin = join(import.meta.dirname, '../bin/switchyard.mjs');

/** The libraries of this house that a command line has loaded by its end, as the note beside the bundle has them. */
function librariesOf(args: readonly string[]): readonly string[] {
  const loaded = modulesLoadedBy([bin, ...args], import.meta.dirname);
  const bundles = loaded.filter((url) => url.includes('/apps/cli/bundle/')).map((url) => basename(url));
  const note = readFileSync(join(import.meta.dirname, '../bundle/made-of.json'), 'utf8');
  const madeOf = JSON.parse(note) as Readonly<Record<string, readonly string[]>>;
  const modules = bundles.flatMap((name) => madeOf[name] ?? []);
  expect(modules).toContain('apps/cli/dist/main.js');
  const libraries = modules.map((module) => /^libs\/(?:domain|adapters)\/([^/]+)\//.exec(module)?.[1]);
  return [...new Set(libraries.filter((name) => name !== undefined))].sort();
}

describe('A command', () => {
  it.each([
    ['says what it can do', ['--help']],
    ['speaks with an instance', ['ledger', 'spend', '--url', 'http://127.0.0.1:1', '--token', 'none']],
  ])('that %s loads no domain rules', (_what, args) => {
    expect(librariesOf(args)).toEqual(['client', 'values']);
  });

  it('that verifies a message loads only the verifier', () => {
    const args = ['verify', 'no-such-file', '--profile', 'request', '--dialect', 'adcp'];
    expect(librariesOf(args)).toContain('signing');
  });
});
