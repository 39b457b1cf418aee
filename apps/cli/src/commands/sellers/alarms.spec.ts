import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => [...args, '--data', instance.dataFolder];

describe('alarms', () => {
  it('are listed by state, with --json as JSON only, and without escape sequences of a counterparty', async () => {
    const { code, stdout } = await run(at('alarms', 'list', '--state', 'open', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ alarm_id: 'a1', count: 3 })]]);
    expect(JSON.parse((await run(at('alarms', 'list', '--state', 'acknowledged', '--json'))).stdout)).toEqual(
      [],
    );
    const text = (await run(at('alarms', 'list'))).stdout;
    expect(text).toContain('jwks_uri_changed');
    expect(text).not.toContain('\u001b[2J');
  });

  it('are acknowledged with a reason, and accepted only with the option to accept', async () => {
    const ended = await run(at('alarms', 'acknowledge', 'a1', '--reason', 'called them', '--json'));
    expect(JSON.parse(ended.stdout)).toMatchObject({ reason: 'called them', detail: { accepts: 'false' } });
    const accepted = await run(
      at('alarms', 'acknowledge', 'a1', '--reason', 'they moved', '--accept', '--json'),
    );
    expect(JSON.parse(accepted.stdout)).toMatchObject({ detail: { accepts: 'true' } });
    expect((await run(at('alarms', 'acknowledge', 'a1'))).code).toBe(2);
    expect((await run(at('alarms', 'acknowledge', 'a1', '--reason', ' '))).code).toBe(1);
    expect((await run(at('alarms', 'acknowledge', 'a9', '--reason', 'x'))).code).toBe(1);
  });
});

describe('refused signatures', () => {
  it('are listed with the step that refused them, and every step with --json', async () => {
    const { code, stdout } = await run(at('signatures', 'refused', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      [{ code: 'request_signature_invalid', steps: [{ step: '10' }] }],
    ]);
    const text = (await run(at('signatures', 'refused'))).stdout;
    expect(text).toContain('10 signature');
    expect(text).not.toContain('\u001b[2J');
    expect(JSON.parse((await run(at('signatures', 'refused', '--code', 'other', '--json'))).stdout)).toEqual(
      [],
    );
    expect((await run(at('signatures', 'refused', '--limit', 'many'))).code).toBe(1);
  });
});
