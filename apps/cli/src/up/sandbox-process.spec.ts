import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { startSandboxProcess } from './sandbox-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-process-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('names a full disk as the reason why the market did not start', async () => {
  mkdirSync(join(folder, 'sandbox'));
  symlinkSync('/dev/full', join(folder, 'sandbox/identities.json.new'));
  const started = await startSandboxProcess(folder, { agents: ['prompt'], onProblem: () => undefined });
  expect(started).toMatchObject({ error: { message: expect.stringContaining('ENOSPC') } });
});

it('reports a market that ended unexpectedly', async () => {
  const problems: string[] = [];
  let received = (): void => undefined;
  const ended = new Promise<void>((resolve) => (received = resolve));
  const started = must(
    await startSandboxProcess(folder, {
      agents: ['prompt'],
      onProblem: (problem) => {
        problems.push(problem);
        received();
      },
    }),
  );
  process.kill(started.pid, 'SIGKILL');
  await ended;
  expect(problems).toEqual(['It ended (SIGKILL). Its sellers do not answer until the next start.']);
});

it('reports nothing for a market that was stopped', async () => {
  const problems: string[] = [];
  const onProblem = (problem: string): void => void problems.push(problem);
  const started = must(await startSandboxProcess(folder, { agents: ['prompt'], onProblem }));
  await started.stop();
  expect(problems).toEqual([]);
});
