import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { commands } from './commands.js';
import { commands as declared, queries } from './generated/lists.js';
import { byHand } from './list-commands.js';
import { switchyardProgram } from './program.js';
import { commandList } from './testkit/command-list.js';
import { commandsIn, refusalOf, silenced } from './commands-in-pages.js';

const file = join(import.meta.dirname, 'testkit/command-list.txt');
const newProgram = () =>
  switchyardProgram(
    {
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      stdin: new PassThrough(),
      env: {},
      cwd: '/',
      color: false,
      layout: {},
      exitWith: () => undefined,
    },
    commands,
  );
const program = newProgram();

it('every command and every option is in the committed list, so that a review sees one that is gone or new', () => {
  const found = `${commandList(program).join('\n')}\n`;
  if (process.env['SWITCHYARD_WRITE_COMMANDS'] === '1') writeFileSync(file, found);
  expect(found.split('\n')).toEqual(readFileSync(file, 'utf8').split('\n'));
});

it('every filter and every order of every list of the server has an option', () => {
  const paths = [...Object.keys(byHand), ...declared.map(({ path }) => path)];
  const withMembers = Object.entries(queries).filter(([, members]) => members.length > 0);
  expect(withMembers.map(([path]) => path).filter((path) => !paths.includes(path))).toEqual([]);
});

it('every command in a page of the documentation is one that the program takes, with its arguments and options', () => {
  const root = join(import.meta.dirname, '../../..');
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const files = [
    'README.md',
    ...pages.filter((page) => page.endsWith('.md')).map((page) => join('docs', page)),
  ];
  const quiet = silenced(newProgram());
  const refused: string[] = [];
  let count = 0;
  for (const page of files)
    for (const { line, text, words } of commandsIn(readFileSync(join(root, page), 'utf8'))) {
      count += 1;
      const why = refusalOf(quiet, words);
      if (why !== undefined) refused.push(`${page}:${line}: ${text}: ${why}`);
    }
  expect(refused).toEqual([]);
  expect(count).toBeGreaterThan(100);
  expect(refusalOf(quiet, ['ask'])).toContain('missing required argument');
  // Nothing of an earlier command stays: what it must have is missing again.
  expect(refusalOf(quiet, ['organizations', 'export', '--to', 'x'])).toBeUndefined();
  expect(refusalOf(quiet, ['organizations', 'export'])).toContain('required option');
  expect(refusalOf(quiet, ['buys', 'list', '--no-such'])).toContain('unknown option');
});
