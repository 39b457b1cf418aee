import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run, runAlone } from '../testkit/run-command.js';

describe('wrong settings', () => {
  it('end the start with 2 and list all their names before anything is created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-settings-'));
    const data = join(folder, 'data');
    const env = { SWITCHYARD_WEBHOOK_BYTES_DAYS: 'many', SWITCHYARD_HOTS: '127.0.0.1', REDIS_URL: 'redis' };
    const { code, stderr } = await runAlone(['up', '--data', data], { env });
    expect(code).toBe(2);
    for (const name of Object.keys(env)) expect(stderr).toContain(`${name} `);
    expect(existsSync(data)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('end `migrate` with 2 before the database is called', async () => {
    const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', SWITCHYARD_HOTS: '127.0.0.1' };
    const wrong = await runAlone(['migrate'], { env });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^SWITCHYARD_HOTS is no setting/);
    expect(await runAlone(['migrate'], { env: { DATABASE_URL: env.DATABASE_URL } })).toMatchObject({
      code: 1,
    });
  });

  it('are named by the command that lists all settings, which prints no values', async () => {
    const env = { DATABASE_URL: 'postgresql://root:hunter2@db/x', SWITCHYARD_MCP_TEXT: 'json' };
    const listed = await run(['settings', '--json'], { env });
    expect(listed.code).toBe(0);
    expect(listed.stdout).not.toContain('hunter2');
    expect(JSON.parse(listed.stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'DATABASE_URL', is_set: true }),
        expect.objectContaining({ name: 'REDIS_URL', is_set: false }),
        expect.objectContaining({ name: 'up --port', type: '<n>' }),
      ]),
    );
    const wrong = await run(['settings'], { env: { SWITCHYARD_MCP_TEXT: 'xml' } });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('SWITCHYARD_MCP_TEXT should be one of summary, json.');
  });
});
