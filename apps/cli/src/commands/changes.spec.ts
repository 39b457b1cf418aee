import { describe, expect, it } from '@jest/globals';
import { run } from '../testkit/run-command.js';
import { usingInstance } from '../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => [...args, '--data', instance.dataFolder];

describe('changes', () => {
  it('are printed one per line, with --json as JSON lines, until no stream can be opened', async () => {
    const { code, stdout, stderr } = await run(at('changes', '--kind', 'seller', '--json'));
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      { event: 'ready', event_id: '7-0' },
      {
        event: 'change',
        event_id: '8-3',
        kind: 'seller',
        id: '\u001b[2Jacme',
        action: 'updated',
        at: '1970-01-01T00:00:00.001Z',
      },
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('switchyard changes --after 8-3')]);
    const text = (await run(at('changes'))).stdout;
    expect(text).toContain('8-3  1970-01-01T00:00:00.001Z  seller');
    expect(text).not.toContain('\u001b[2J');
  });

  it('are refused for an unknown kind and for an invalid id', async () => {
    expect((await run(at('changes', '--kind', 'nothing'))).stderr).toContain('VALIDATION_ERROR');
    expect((await run(at('changes', '--after', 'yesterday'))).stderr).toContain('at after');
  });
});
