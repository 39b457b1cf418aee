import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { judgeSuite, wireTapInto, type Exchange, type Side } from '@switchyard/testing';
import { sharedWire } from './shared-instance.js';

/*
 * Runs around every suite of this package: checks all answers of the built product's endpoints, and all messages to its
 * sellers and buyers, in all processes, against the published schemas of their forms. Child processes find in their
 * environment where to record messages (`childEnvironment`).
 */
const folder = mkdtempSync(join(tmpdir(), 'switchyard-wire-'));
process.env['WIRE_TAP_FOLDER'] = folder;

let stop: () => void;
beforeAll(() => {
  stop = wireTapInto(folder);
});

afterAll(() => {
  stop();
  // An instance that the suite ends in its own `afterAll` still runs, and may be starting another process.
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  lines.push(...sharedWire());
  expect(judgeSuite(lines.flatMap(exchangeIn), sideOf, expect.getState().testPath ?? '')).toEqual([]);
});

/** The last line of a killed process may be incomplete. */
function exchangeIn(line: string): Exchange[] {
  try {
    return [JSON.parse(line) as Exchange];
  } catch {
    return [];
  }
}

/** Endpoints are the product's own process; the sandbox market and the suite's own servers are other parties. */
function sideOf({ process: script, path }: Exchange): Side | undefined {
  if (script !== 'switchyard.mjs') return 'theirs';
  return /^\/(mcp|a2a|v1\/tasks\/[^/]+)(\?|$)/.test(path) ? 'ours' : undefined;
}
