import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import preset from '../../../jest.preset.mjs';

/** Where the data folder lies that instances are copies of; it goes with the run. */
const templates = mkdtempSync(join(tmpdir(), 'switchyard-templates-'));
process.env['E2E_TEMPLATES'] = join(templates, 'one-');
process.once('exit', () => rmSync(templates, { recursive: true, force: true }));

export default {
  ...preset,
  rootDir: import.meta.dirname,
  setupFilesAfterEnv: ['<rootDir>/src/harness/watch-the-wire.ts'],
};
