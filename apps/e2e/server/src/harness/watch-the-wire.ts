import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { judgeSuite, wireTapInto, type Exchange, type Side } from '@switchyard/testing';

/*
 * Runs around every suite of this package: whatever the doors of the built product answered, its sellers were sent and
 * its buyers were told, in whichever process, is held against the schemas published of its form, whatever the suite is
 * about. Children find in their environment where to write down what they hear (`childEnvironment`).
 */
const folder = mkdtempSync(join(tmpdir(), 'switchyard-wire-'));
process.env['WIRE_TAP_FOLDER'] = folder;

let stop: () => void;
beforeAll(() => {
  stop = wireTapInto(folder);
});

afterAll(() => {
  stop();
  // An instance that the suite ends in an `afterAll` of its own is still up, and may start another process right now.
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  expect(judgeSuite(lines.flatMap(exchangeIn), sideOf, expect.getState().testPath ?? '')).toEqual([]);
});

/** The last line of a process that was killed may be half a line. */
function exchangeIn(line: string): Exchange[] {
  try {
    return [JSON.parse(line) as Exchange];
  } catch {
    return [];
  }
}

/** Doors are the product's own process; the practice market and what the suite itself opens are everybody else. */
function sideOf({ process: script, path }: Exchange): Side | undefined {
  if (script !== 'switchyard.mjs') return 'theirs';
  return /^\/(mcp|a2a|v1\/tasks\/[^/]+)(\?|$)/.test(path) ? 'ours' : undefined;
}
