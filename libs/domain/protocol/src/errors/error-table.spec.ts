import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorRule, httpStatusOf, isKnownCode, shownAs, taskError } from './task-error.js';
import { errorAliases, errorNames, errorRows } from './error-table.js';
import { codeIn, projectErrors } from './project-errors.js';
import { readErrors } from './read-errors.js';

interface Vocabulary {
  readonly enum: readonly string[];
  readonly enumMetadata?: Readonly<Record<string, { readonly recovery?: string }>>;
}

const folders = { '3.0': '3.0.26', '3.1': '3.1.19' } as const;
const schemas = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const releases = Object.keys(folders).length;
const published = Object.entries(folders).flatMap(([release, folder]) => {
  const path = join(schemas, folder, 'enums/error-code.json');
  if (!existsSync(path)) return [];
  return [[release, JSON.parse(readFileSync(path, 'utf8')) as Vocabulary] as const];
});
const serviceCodes = [
  ...['AUTH_REQUIRED', 'AUTH_INVALID', 'INSUFFICIENT_PERMISSIONS', 'CREDENTIAL_IN_ARGS', 'INVALID_REQUEST'],
  ...['IDEMPOTENCY_CONFLICT', 'SIGNAL_AGENT_SEGMENT_NOT_FOUND', 'ACTIVATION_FAILED', 'ALREADY_ACTIVATED'],
  ...['DEPLOYMENT_UNAUTHORIZED', 'AGENT_NOT_FOUND', 'AGENT_ACCESS_DENIED'],
];
const codes = errorRows.flatMap(([, , ...listed]) => listed);

describe('the table of errors', () => {
  it('contains each code once, under one name, and every other spelling leads to one of them', () => {
    expect(new Set(codes).size).toBe(codes.length);
    for (const [alias, canonical] of Object.entries(errorAliases)) {
      expect({ alias, known: codes.includes(canonical), twice: codes.includes(alias) }).toEqual({
        alias,
        known: true,
        twice: false,
      });
    }
    for (const names of Object.values(errorNames)) {
      for (const [canonical, name] of Object.entries(names)) {
        expect(codes).toContain(canonical);
        expect(isKnownCode(name)).toBe(true);
      }
    }
  });

  it('gives the service description’s codes back exactly, in the dialect that is its own', () => {
    expect(serviceCodes.map((code) => codeIn(code, 'ads'))).toEqual(serviceCodes);
    expect(serviceCodes.filter((code) => !isKnownCode(code))).toEqual([]);
  });

  it('contains every code of each release with the recovery of that release', () => {
    if (published.length < releases)
      console.log(`The codes of ${releases - published.length} releases were skipped: they are not here.`);
    for (const [, vocabulary] of published) {
      expect(vocabulary.enum.length).toBeGreaterThan(40);
      expect(vocabulary.enum.filter((code) => !isKnownCode(code))).toEqual([]);
      const received = Object.entries(vocabulary.enumMetadata ?? {}).filter(([code]) => code !== '$comment');
      const different = received.filter(([code, { recovery }]) => errorRule(code).recovery !== recovery);
      expect(different).toEqual([]);
    }
  });

  it('prints the number of compared vocabularies', () => {
    expect(published.length).toBe(existsSync(schemas) ? releases : 0);
  });

  it('has 400, 401, 404 and 422 as in the service description', () => {
    for (const code of codes) {
      if (code.endsWith('_NOT_FOUND') || code === 'NOT_FOUND')
        expect([code, httpStatusOf(code)]).toEqual([code, 404]);
      if (shownAs(code) === 'challenge') expect([code, httpStatusOf(code)]).toEqual([code, 401]);
    }
    expect(httpStatusOf('INVALID_REQUEST')).toBe(400);
    expect(httpStatusOf('VALIDATION_ERROR')).toBe(422);
  });

  it('has only public names for callers of the public dialect, except for codes that the vocabulary leaves to us', () => {
    const open = [
      ...['INVALID_PRICING_MODEL', 'AGENT_ACCESS_DENIED', 'AGENT_NOT_FOUND', 'ALREADY_ACTIVATED'],
      ...['USAGE_REPORT_REJECTED', 'ACTIVATION_FAILED', 'TASK_CANCELED'],
    ];
    const known = published.find(([release]) => release === '3.1')?.[1].enum;
    const named = codes.map((code) => codeIn(code, 'adcp', '3.1'));
    const strange = [...new Set(named)].filter((code) => known !== undefined && !known.includes(code));
    expect(strange.sort()).toEqual(known === undefined ? [] : open.sort());
  });
});

describe('every row of the table', () => {
  it.each(codes)('%s keeps its meaning for a reader of either dialect', (code) => {
    const error = taskError(code, 'Words.', { field: 'a.b', retryAfter: 7, details: { seller: 'acme' } });
    for (const dialect of ['ads', 'adcp'] as const) {
      const [read] = readErrors(projectErrors([error], dialect, '3.1'));
      expect(read).toMatchObject({
        recovery: errorRule(code).recovery,
        field: 'a.b',
        retryAfter: 7,
        details: { seller: 'acme' },
      });
      expect(read?.code).toBe(taskError(codeIn(code, dialect, '3.1'), '').code);
    }
  });
});
