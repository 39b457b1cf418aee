import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { usingInstance } from '../testkit/instance.js';
import { run } from '../testkit/run-command.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => [...args, '--data', instance.dataFolder];

function sellersFile(count: number): string {
  const file = join(instance.dataFolder, `sellers-${count}.json`);
  const seller = { agent_url: 'http://127.0.0.1:9/mcp', protocol: 'mcp', dialect: 'ads' };
  writeFileSync(
    file,
    JSON.stringify(Array.from({ length: count }, (_, n) => ({ ...seller, slug: `s${n}` }))),
  );
  return file;
}

describe('jobs', () => {
  it('are listed with how far they are, and one that somebody stops as stopping', async () => {
    const { code, stdout } = await run(at('jobs', 'list', '--state', 'running'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/Import of sellers\s+stopping\s+140 of 300/);
  });

  it('are shown with the items that failed, without control characters of others', async () => {
    const { code, stdout } = await run(at('jobs', 'show', 'j1'));
    expect(code).toBe(0);
    expect(stdout).toContain('succeeded, 300 of 300 done, 1 failed');
    expect(stdout).toMatch(/dead\s+NOT_LIVE\s+unreachable/);
    expect(stdout).not.toContain('\u001b');
  });

  it('go on with retry, and cancel says why it cannot', async () => {
    expect((await run(at('jobs', 'retry', 'j1'))).stdout).toContain('waiting, 299 of 300 done, 0 failed');
    const canceled = await run(at('jobs', 'cancel', 'j1'));
    expect([canceled.code, canceled.stderr]).toEqual([1, expect.stringContaining('This job has ended.')]);
  });

  it('import many sellers, and the command follows until the end; with --job it prints the job', async () => {
    const many = await run(at('sellers', 'import', sellersFile(300)));
    expect(many.code).toBe(1);
    expect(many.stdout).toContain('299 of 300 sellers are live.');
    expect(many.stderr).toContain('300 of 300 done, 1 failed');
    expect(many.stderr).toContain('dead: unreachable');
    const left = await run(at('sellers', 'import', sellersFile(2), '--job', '--json'));
    expect([left.code, JSON.parse(left.stdout)]).toEqual([0, { job_id: 'j1', state: 'waiting' }]);
  });

  it('print with --follow what the command prints without it, and jobs file prints it again', async () => {
    const plain = await run(at('ledger', 'export'));
    const followed = await run(at('ledger', 'export', '--follow'));
    expect([followed.code, followed.stderr]).toEqual([0, expect.stringContaining('300 of 300 done')]);
    expect(followed.stdout).toBe(plain.stdout);
    expect((await run(at('jobs', 'file', 'j1'))).stdout).toBe(plain.stdout);
    const left = await run(at('ledger', 'export', '--job', '--json'));
    expect([left.code, JSON.parse(left.stdout)]).toEqual([0, { job_id: 'j1', state: 'waiting' }]);
  });

  it('do what a request would wait for: the command follows, or prints the job, and says the same in the end', async () => {
    const period = ['reconcile', '--period', '2026-09'];
    expect((await run(at(...period))).stdout).toContain('Amounts that agree: 7. Open differences: 0.');
    const followed = await run(at(...period, '--follow'));
    expect([followed.code, followed.stderr]).toEqual([0, expect.stringContaining('300 of 300 done')]);
    expect(followed.stdout).toContain('Amounts that agree: 7. Open differences: 2. See them with:');
    const left = await run(at(...period, '--job', '--json'));
    expect([left.code, JSON.parse(left.stdout)]).toEqual([0, { job_id: 'j1', state: 'waiting' }]);
  });
});
