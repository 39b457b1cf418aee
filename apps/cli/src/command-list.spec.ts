import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { commands } from './commands.js';
import { commands as declared, queries } from './generated/lists.js';
import { byHand } from './list-commands.js';
import { switchyardProgram } from './program.js';
import { commandList } from './testkit/command-list.js';

const file = join(import.meta.dirname, 'testkit/command-list.txt');
const program = switchyardProgram(
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
