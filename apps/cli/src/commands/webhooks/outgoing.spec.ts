import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const resend = (...args: string[]) => run(['outgoing', 'resend', ...args, '--data', instance.dataFolder]);

describe('outgoing resend', () => {
  it('sends again all that failed since a time, and says how many', async () => {
    const { code, stdout } = await resend('--since', '2026-11-21T12:00:00Z');
    expect([code, stdout]).toEqual([0, '12 sent again now.\n']);
  });

  it('takes either an event or a time', async () => {
    for (const args of [[], ['e1', '--since', '2026-11-21T12:00:00Z']]) {
      const { code, stderr } = await resend(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('either an event or --since')]);
    }
  });
});
