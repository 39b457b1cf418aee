import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { lockInstance } from './lock-instance.js';
import { processStart } from './process-start.js';

let dataDir: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-lock-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

const write = (holder: object): void => {
  writeFileSync(join(dataDir, 'instance.json'), JSON.stringify(holder));
};

const read = (): unknown => JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8'));

function livingProcess(): { pid: number; start: string } {
  child = spawn('sleep', ['60']);
  const pid = child.pid!;
  return { pid, start: processStart(pid)! };
}

describe('the lock of a data folder', () => {
  it('is refused while another process has it, and the error names that process and its address', () => {
    const holder = livingProcess();
    write({ ...holder, url: 'http://127.0.0.1:4010' });
    const second = lockInstance(dataDir);
    expect(second).toMatchObject({
      ok: false,
      error: { code: 'running', running: { pid: holder.pid, url: 'http://127.0.0.1:4010' } },
    });
    const message = second.ok ? '' : second.error.message;
    expect(message).toContain(String(holder.pid));
    expect(message).toContain('http://127.0.0.1:4010');
  });

  it('is taken over from a process that has ended', () => {
    write({ pid: 2 ** 22 - 1, start: 'some-boot/1' });
    expect(lockInstance(dataDir).ok).toBe(true);
  });

  it('is taken over if the pid now belongs to another process', () => {
    const stranger = livingProcess();
    write({ pid: stranger.pid, start: `${stranger.start}0` });
    const taken = lockInstance(dataDir);
    expect(taken.ok).toBe(true);
    expect(read()).toMatchObject({ pid: process.pid });
  });

  it('is taken over if its file is truncated', () => {
    writeFileSync(join(dataDir, 'instance.json'), '{"pid": 1');
    expect(lockInstance(dataDir).ok).toBe(true);
  });

  it('shows the address of its holder, and is free after the release', () => {
    const taken = must(lockInstance(dataDir));
    expect(lockInstance(dataDir)).toMatchObject({ ok: false, error: { running: { pid: process.pid } } });
    taken.update({ url: 'http://127.0.0.1:4010' });
    expect(read()).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:4010' });
    taken.release();
    expect(readdirSync(dataDir)).toEqual([]);
    expect(lockInstance(dataDir).ok).toBe(true);
  });

  it('is not removed by a release after another process took it', () => {
    const taken = must(lockInstance(dataDir));
    write(livingProcess());
    taken.release();
    expect(read()).toMatchObject({ pid: child!.pid! });
  });

  it.each([
    ['below a file', () => join(dataDir, 'file/below'), 'is a file'],
    ['in a file system that takes none', () => '/proc/nope/data', 'cannot be made'],
  ])('is refused at once with a message if the folder cannot be created: %s', (_where, folder, reason) => {
    writeFileSync(join(dataDir, 'file'), '');
    const refused = lockInstance(folder());
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_writable' } });
    expect(refused.ok ? '' : refused.error.message).toContain(reason);
  });
});
