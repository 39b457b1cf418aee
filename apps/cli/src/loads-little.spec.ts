import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { modulesLoadedBy } from '@switchyard/testing';

const bin = join(import.meta.dirname, '../bin/switchyard.mjs');

/** The libraries of this house that a command line has loaded by its end: a bundle names each module that it holds. */
function librariesOf(args: readonly string[]): readonly string[] {
  const loaded = modulesLoadedBy([bin, ...args], import.meta.dirname);
  const bundles = loaded.filter((url) => url.includes('/apps/cli/bundle/')).map((url) => fileURLToPath(url));
  const modules = bundles.flatMap((path) => readFileSync(path, 'utf8').match(/^\/\/ \S+\.js$/gm) ?? []);
  expect(modules).toContain('// apps/cli/dist/main.js');
  const libraries = modules.map((module) => /^\/\/ libs\/(?:domain|adapters)\/([^/]+)\//.exec(module)?.[1]);
  return [...new Set(libraries.filter((name) => name !== undefined))].sort();
}

describe('A command', () => {
  it.each([
    ['says what it can do', ['--help']],
    ['speaks with an instance', ['ledger', 'spend', '--url', 'http://127.0.0.1:1', '--token', 'none']],
  ])('that %s loads none of the rules of the house', (_what, args) => {
    expect(librariesOf(args)).toEqual(['values']);
  });

  it('that judges a message loads what judges it', () => {
    const args = ['verify', 'no-such-file', '--profile', 'request', '--dialect', 'adcp'];
    expect(librariesOf(args)).toContain('signing');
  });
});
