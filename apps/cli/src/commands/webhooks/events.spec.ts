import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => ['events', ...args, '--data', instance.dataFolder];

describe('events', () => {
  it('lists webhooks by state and seller, and prints only JSON with --json', async () => {
    const { code, stdout } = await run(at('list', '--state', 'quarantined', '--seller', 'acme', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ event_id: 'e1' })]]);
    const other = await run(at('list', '--state', 'applied', '--json'));
    expect(JSON.parse(other.stdout)).toEqual([]);
  });

  it('shows the state of a webhook and its reason in a table', async () => {
    const { stdout } = await run(at('list'));
    expect(stdout).toContain('after_final');
  });

  it('refuses an unknown state before it sends a request', async () => {
    expect((await run(at('list', '--state', 'lost'))).code).toBe(2);
  });

  it('shows the verdict step by step and the changed copy, without escape sequences of the sender', async () => {
    const { code, stdout } = await run(at('show', 'e1'));
    expect(code).toBe(0);
    expect(stdout).toContain('parse');
    expect(stdout).toContain('changed');
    expect(stdout).toContain('The seller has already sent the final report');
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toContain('Content-Type');
  });

  it('shows headers and bytes only on request', async () => {
    const { stdout } = await run(at('show', 'e1', '--raw', '--json'));
    expect(JSON.parse(stdout)).toMatchObject({ raw: { body_text: '{}' } });
    expect((await run(at('show', 'e1', '--raw'))).stdout).toContain('Content-Type: application/json');
  });

  it('ends with 1 for an event that does not exist', async () => {
    expect((await run(at('show', 'e9'))).code).toBe(1);
  });

  it.each([
    ['admit', 'applied', 'admitted'],
    ['dismiss', 'refused', 'dismissed'],
  ])('%ss an event with the given reason', async (how, state, decision) => {
    const { code, stdout } = await run(at(how, 'e1', '--reason', 'the seller confirmed it', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { state, decision: { decision, reason: 'the seller confirmed it' } },
    ]);
  });

  it('refuses a decision without a reason', async () => {
    expect((await run(at('admit', 'e1'))).code).toBe(2);
    expect((await run(at('dismiss', 'e1', '--reason', ' '))).code).toBe(1);
  });
});
