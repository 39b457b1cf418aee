import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../../../..');
let prisma: string;

beforeEach(() => {
  prisma = mkdtempSync(join(tmpdir(), 'switchyard-author-'));
  cpSync(join(root, 'prisma'), prisma, { recursive: true });
});

afterEach(() => {
  rmSync(prisma, { recursive: true, force: true });
});

function author(...words: string[]) {
  return spawnSync(process.execPath, [join(root, 'tools/migrate/author.mjs'), '--prisma', prisma, ...words], {
    encoding: 'utf8',
  });
}

function addColumn(): void {
  const path = join(prisma, 'schema.prisma');
  const schema = readFileSync(path, 'utf8');
  writeFileSync(path, schema.replace('model organization {', 'model organization {\n  colour String?'));
}

describe('the authoring tool', () => {
  it('exits 2 with the missing SQL when they differ, writes it as a migration, and then finds that they agree, policies and functions by hand included', () => {
    addColumn();
    const check = author();
    expect(check.status).toBe(2);
    expect(check.stdout).toContain('ALTER TABLE "organization" ADD COLUMN');
    const before = readdirSync(join(prisma, 'migrations'));
    expect(author('add_colour').status).toBe(0);
    const [added] = readdirSync(join(prisma, 'migrations')).filter((name) => !before.includes(name));
    expect(added).toMatch(/^\d{14}_add_colour$/);
    expect(readFileSync(join(prisma, 'migrations', added!, 'migration.sql'), 'utf8')).toContain(
      '"colour" TEXT',
    );
    const agreed = author();
    expect([agreed.stdout, agreed.status]).toEqual(['', 0]);
    // Three runs, each of which starts an in-memory PostgreSQL.
  });

  it('refuses a name that would not make a folder, and changes nothing', () => {
    const before = readdirSync(join(prisma, 'migrations'));
    expect(author('../Escape').status).toBe(2);
    expect(readdirSync(join(prisma, 'migrations'))).toEqual(before);
  });
});
