import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const bin = join(import.meta.dirname, '../bin/switchyard.mjs');

it('a command whose output does not fit on its disk reports that and ends with 1', () => {
  const full = openSync('/dev/full', 'w');
  const ran = spawnSync(process.execPath, [bin, 'settings', '--json'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect([ran.status, ran.stderr.toString()]).toEqual([1, 'The output could not be written (ENOSPC).\n']);
});
