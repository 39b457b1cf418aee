import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureAdminSecret } from './instance-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (): string => readFileSync(join(folder, 'admin.secret'), 'utf8');

describe('the admin secret', () => {
  it('is created once, readable by its owner alone, and no other file is left', () => {
    ensureAdminSecret(folder);
    const made = text();
    ensureAdminSecret(folder);
    expect([text(), made.length]).toEqual([made, 43]);
    expect(statSync(join(folder, 'admin.secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['admin.secret']);
  });

  it('is created again if a full disk or a crash left an empty file', () => {
    writeFileSync(join(folder, 'admin.secret'), '');
    ensureAdminSecret(folder);
    expect(text()).toHaveLength(43);
  });
});
