import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { run } from '../../testkit/run-command.js';
import { reply, specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;
const at = (...args: string[]): string[] => ['creatives', 'list', ...args, '--data', instance.dataFolder];

const creative = (id: string, sellers: readonly JsonObject[]): JsonObject => ({
  creative_id: id,
  name: `Banner ${id}`,
  status: 'approved',
  ext: { switchyard: { sellers: [...sellers] } },
});
const first = creative('a', [
  { seller: 'acme', status: 'approved' },
  { seller: 'bravo', status: 'rejected', reason: 'Too loud\u001b[2J.' },
]);
const second = creative('b', [{ seller: 'acme', status: 'archived' }]);

beforeAll(async () => {
  instance = await specInstance();
});
beforeEach(() => {
  instance.calls.length = 0;
  // Two pages: the cursor of the first leads to the second.
  instance.answerWith(({ args }) => {
    const { cursor } = (args as JsonObject)['pagination'] as JsonObject;
    return cursor === 'next'
      ? reply({ creatives: [second], pagination: { has_more: false } })
      : reply({ creatives: [first], pagination: { has_more: true, cursor: 'next' } });
  });
});
afterAll(() => instance.close());

describe('creatives list', () => {
  it('reads all pages, and prints only JSON with --json', async () => {
    const { code, stdout } = await run(at('--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, [first, second]]);
    expect(instance.calls).toMatchObject([{ task: 'list_creatives' }, { task: 'list_creatives' }]);
  });

  it('shows the state of each creative at its sellers, with the reason, without escape sequences', async () => {
    const { stdout } = await run(at());
    expect(stdout).toMatch(/a +Banner a +approved +acme approved, bravo rejected \(Too loud/);
    expect(stdout).not.toContain('\u001b[2J');
  });

  it('with --seller shows only the creatives sent to that seller', async () => {
    expect(JSON.parse((await run(at('--seller', 'bravo', '--json'))).stdout)).toEqual([first]);
    expect((await run(at('--seller', 'nobody'))).stdout).toContain('There are no creatives.');
  });

  it('fails if the server refuses to list the library', async () => {
    instance.answerWith(() =>
      reply({ errors: [{ code: 'PERMISSION_DENIED', message: 'No.' }] }, { httpStatus: 403, isError: true }),
    );
    expect((await run(at())).code).toBe(1);
  });
});
