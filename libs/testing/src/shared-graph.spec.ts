import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const preset = join(import.meta.dirname, '../../../jest.preset.mjs');
const jest = join(import.meta.dirname, '../../../node_modules/jest/bin/jest.js');

const files = {
  'jest.config.mjs': `
    import preset from '${preset}';
    export default {
      ...preset, rootDir: import.meta.dirname, testMatch: ['<rootDir>/*.spec.mjs'], transform: {},
      setupFilesAfterEnv: ['<rootDir>/around.mjs'],
    };`,
  'around.mjs': `globalThis.around = (globalThis.around ?? 0) + 1;`,
  'shared.mjs': `
    globalThis.evaluated = (globalThis.evaluated ?? 0) + 1;
    export const state = { thrown: 0 };
    export const importLate = () => import('./late.mjs');
    export const next = new Promise((resolve) => { state.goOn = resolve; });`,
  'late.mjs': `export const late = 'imported while the second file is loaded';`,
  // Jest begins with the larger file.
  'first.spec.mjs': `
    import { state, next } from './shared.mjs';
    const thrower = (name) => () => { state.thrown += 1; throw new Error(name); };
    process.env.LEFT_BY_FIRST = 'yes';
    it('leaves errors for later', () => {
      void next.then(thrower('a late rejection of a test'));
      void next.then(() => setImmediate(thrower('a late exception of a test')));
      expect(globalThis.around).toBe(1);
    });
    afterAll(() => void next.then(thrower('a late rejection of a hook')));
    ${' '.repeat(2_000)}`,
  'second.spec.mjs': `
    import { importLate, state } from './shared.mjs';
    const { late } = await importLate();
    it('shares the modules alone', async () => {
      expect(late).toBe('imported while the second file is loaded');
      expect([globalThis.evaluated, globalThis.around, process.env.LEFT_BY_FIRST]).toEqual([1, 2, undefined]);
      state.goOn();
      while (state.thrown < 3) await new Promise(setImmediate);
      await new Promise(setImmediate);
    });
    it('is failed by its own errors', async () => {
      void Promise.reject(new Error('its own rejection'));
      await new Promise((resolve) => setTimeout(resolve));
    });`,
};

async function runBoth(): Promise<{ readonly stderr: string; readonly failed: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-graph-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const args = ['--experimental-vm-modules', '--no-warnings', jest, '--json', '--config'];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [...args, join(folder, 'jest.config.mjs')],
      { cwd: folder },
      (_error, out, err) => {
        resolve({ stdout: out, stderr: err });
      },
    );
  });
  rmSync(folder, { recursive: true });
  const { testResults } = JSON.parse(stdout) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed');
  return { stderr, failed: failed.map(({ title }) => title) };
}

describe('spec files that share a module graph', () => {
  it('share no environment, and each error is reported with the file that caused it', async () => {
    const { stderr, failed } = await runBoth();
    expect(failed).toEqual(['is failed by its own errors']);
    const late = stderr.match(/late error, after the suite that caused it \(.*first\.spec\.mjs\): .*/g) ?? [];
    expect(late.map((line) => line.replace(/.*: /, '')).sort()).toEqual([
      'a late exception of a test',
      'a late rejection of a hook',
      'a late rejection of a test',
    ]);
  });
});
