import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => ['sellers', ...args, '--data', instance.dataFolder];

describe('the calendar of a seller', () => {
  it('is proposed, set, restated and removed, each in one command that says what follows', async () => {
    const proposed = await run(at('calendar', 'harbor'));
    expect(proposed.stdout).toContain('The time zone of harbor is not known.');
    expect(proposed.stdout).toContain('switchyard sellers set-calendar harbor --zone Europe/Madrid');
    const set = await run(at('set-calendar', 'harbor', '--zone', 'Europe/Madrid', '--long-periods', 'hold'));
    expect(set.stdout).toContain('Europe/Madrid (set by a person)');
    expect(set.stdout).toMatch(/2026-09\s+EUR\s+-40/);
    const moved = await run(at('restate', 'harbor', '--reason', 'Their contract.', '--json'));
    expect(JSON.parse(moved.stdout)).toMatchObject({ buys: 1, entry_ids: ['e1'] });
    expect((await run(at('unset-calendar', 'harbor'))).code).toBe(0);
    expect((await run(at('unset-calendar', 'harbor'))).code).toBe(1);
  });

  it('is not set without a known way for long figures, nor restated without a reason', async () => {
    expect((await run(at('set-calendar', 'harbor', '--long-periods', 'guess'))).code).toBe(2);
    expect((await run(at('restate', 'harbor'))).code).toBe(2);
  });
});
