import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();

const add = (...more: readonly string[]): string[] => [
  ...['sellers', 'add', 'http://127.0.0.1:9/mcp', '--slug', 'acme', '--protocol', 'mcp'],
  ...['--dialect', 'ads', '--data', instance.dataFolder, '--token-stdin', ...more],
];

describe('a seller that issued a name and a password', () => {
  it('is added with both as one secret, which is never shown', async () => {
    const ran = await run(add('--basic'), { input: 'agency:s3cret\n' });
    expect([ran.code, instance.secrets.at(-1)]).toEqual([0, 'agency:s3cret']);
    expect(ran.stdout + ran.stderr).not.toContain('s3cret');
  });

  it('is refused if the secret is no name:password pair, without repeating it', async () => {
    const before = instance.secrets.length;
    for (const input of ['s3cret-alone\n', ':s3cret-alone\n', 's3cret-alone:\n']) {
      const ran = await run(add('--basic'), { input });
      expect([ran.code, ran.stderr.includes('NAME:PASSWORD')]).toEqual([1, true]);
      expect(ran.stdout + ran.stderr).not.toContain('s3cret-alone');
    }
    expect(instance.secrets).toHaveLength(before);
  });
});
