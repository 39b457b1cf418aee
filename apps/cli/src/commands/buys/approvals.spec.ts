import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => ['approvals', ...args, '--data', instance.dataFolder];

describe('approvals', () => {
  it('lists open approvals, and prints only JSON with --json', async () => {
    const { code, stdout } = await run(at('list', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ approval_id: 'a1' })]]);
    expect(JSON.parse((await run(at('list', '--state', 'answered', '--json'))).stdout)).toEqual([]);
  });

  it('shows the words of a seller without their escape sequences', async () => {
    const { stdout } = await run(at('list'));
    expect(stdout).toContain('purchase order');
    expect(stdout).not.toContain('\u001b[2J');
  });

  it('answers with members, or with a complete object', async () => {
    const { code, stdout } = await run(at('answer', 'a1', '--set', 'po_number=PO-1', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { state: 'answered', answer: { po_number: 'PO-1' } },
    ]);
    const whole = await run(at('answer', 'a1', '--answer', '{"agreed":true}', '--json'));
    expect(JSON.parse(whole.stdout)).toMatchObject({ answer: { agreed: true } });
  });

  it('dismisses a question with a reason, and refuses to without one', async () => {
    const { code, stdout } = await run(at('dismiss', 'a2', '--reason', 'Told them by phone.', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { state: 'dismissed', outcome: 'Told them by phone.' },
    ]);
    expect((await run(at('dismiss', 'a2'))).code).not.toBe(0);
    expect((await run(at('dismiss', 'a9', '--reason', 'Gone.'))).code).toBe(1);
  });

  it('refuses an invalid answer, and a question that does not exist', async () => {
    expect((await run(at('answer', 'a1', '--set', 'nothing'))).code).toBe(1);
    expect((await run(at('answer', 'a1', '--answer', '[1]'))).code).toBe(1);
    expect((await run(at('answer', 'a9', '--set', 'a=b'))).code).toBe(1);
  });
});
