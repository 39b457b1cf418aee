import { describe, expect, it } from '@jest/globals';
import { err } from '@switchyard/values';
import type { GateContext } from './gate-context.js';
import { sellerChecks } from './seller-checks.js';
import { runChecks, type Check, type CheckResult, type StoredCheck } from './check.js';

/** Runs two checks, of which the first answers this; which of them ran, and what is stored then. */
async function run(first: CheckResult, stored: readonly StoredCheck[] = []) {
  const ran: string[] = [];
  const check = (key: Check<undefined>['key'], result: CheckResult): Check<undefined> => ({
    key,
    needs: [],
    freshForMs: 10,
    run: () => {
      ran.push(key);
      return Promise.resolve(result);
    },
  });
  const results = await runChecks({
    checks: [check('reach.mcp', first), check('address', { state: 'passed', code: 'allowed', words: '' })],
    context: undefined,
    stored,
    inputsHash: () => 'same',
    now: () => 0,
    save: () => Promise.resolve(),
  });
  return { ran, results };
}

describe('a check of a seller', () => {
  it('that passed stands, and a protocol that did not answer is tried again: the seller may have been down', async () => {
    const down: CheckResult = { state: 'skipped', code: 'not_spoken', words: 'Nobody answers.' };
    const { results } = await run(down);
    const again = await run({ state: 'passed', code: 'answers', words: 'It answers.' }, results);
    expect(again.ran).toEqual(['reach.mcp']);
    expect(again.results.map(({ key, code }) => [key, code])).toEqual([
      ['reach.mcp', 'answers'],
      ['address', 'allowed'],
    ]);
    expect((await run(down, again.results)).ran).toEqual([]);
  });

  it('of reaching it says that a list of tools is too long, and not that nobody speaks the protocol', async () => {
    const failure = { code: 'too_large', message: 'Too much.', delivered: 'maybe' } as const;
    const context = {
      wanted: {},
      connection: () => ({ protocol: 'mcp' }),
      target: () => Promise.resolve({}),
      inTime: (work: (signal: AbortSignal) => unknown) => work(new AbortController().signal),
      transport: { listTools: () => Promise.resolve(err(failure)) },
    } as unknown as GateContext;
    const check = (wanted: string) => sellerChecks.find(({ key }) => key === wanted)?.run(context);
    const mcp = await check('reach.mcp');
    const a2a = await check('reach.a2a');
    expect(mcp).toMatchObject({ state: 'failed', code: 'too_large' });
    expect(mcp?.words).toContain('with more than is read');
    expect(a2a).toMatchObject({ state: 'skipped', code: 'not_needed' });
  });
});
