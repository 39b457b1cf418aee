import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();
const at = (...args: string[]): string[] => ['audit', ...args, '--data', instance.dataFolder];

describe('audit', () => {
  it('lists acts and uses page by page, up to a limit', async () => {
    const all = await run(at('list', '--json'));
    expect((JSON.parse(all.stdout) as { event_id: string }[]).map((event) => event.event_id)).toEqual([
      'act-2',
      'act-1',
    ]);
    expect(JSON.parse((await run(at('list', '--limit', '1', '--json'))).stdout)).toHaveLength(1);
    expect((await run(at('list', '--kind', 'credential_use'))).stdout).toBe('Nothing is recorded.\n');
    const wrong = await run(at('list', '--limit', 'some'));
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--limit')]);
  });

  it('is exported as CSV without formulas, to a new file that nobody else may read', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'switchyard-audit-')), 'acts.csv');
    expect((await run(at('export', '--out', out))).code).toBe(0);
    const lines = readFileSync(out, 'utf8').split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^event_id,kind,at,actor,/);
    expect(lines[2]).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(lines[2]).toContain('"{""path"":{""name"":""nova""}}"');
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const again = await run(at('export', '--out', out));
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('does not exist')]);
  });

  it('is exported as one JSON object a line', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'switchyard-audit-')), 'acts.jsonl');
    const { stdout } = await run(at('export', '--out', out, '--json'));
    expect(JSON.parse(stdout)).toEqual({ out, events: 2 });
    const rows = readFileSync(out, 'utf8').trim().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { event_id: string }).event_id)).toEqual(['act-2', 'act-1']);
  });
});
