/**
 * Follows the guides: starts the built product with its sandbox market in an empty folder, as `npm start` does, and runs every
 * command of each page from its first to its last line. The exit code must be the one that the page shows, and every line that
 * the page shows must be found in what is printed, by its words, its label or its columns: ids, amounts and times differ from run
 * to run. What is not run is counted with its reason. Exit code 1 if a page is wrong.
 *
 *   node tools/guides/run.mjs [--at FOLDER] [PAGE...]    after `npm run build`; --at: an instance that runs in FOLDER
 *
 * Ids that a page shows are replaced in later commands by those of the run. What a reader brings, such as files, and ids that no
 * page shows stands in `readers.mjs`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { commandsIn } from '../../apps/cli/dist/commands-in-pages.js';
import { exitCodeOf, idsOf, isShown, thisMonth } from './compare.mjs';
import { readers } from './readers.mjs';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'apps/cli/bin/switchyard.mjs');
const [option, folder] = process.argv.slice(2);
const at = option === '--at' ? folder : undefined;
/** The bundle is what was built: that no command looks whether it is. */
process.env.IS_BUILT = 'true';
const names = process.argv.slice(at === undefined ? 2 : 4);
const pages = names.length > 0 ? names : Object.keys(readers);
const pathOf = (page) => (page === 'README' ? 'README.md' : `docs/guides/${page}.md`);
/** Longest time of one command, in milliseconds. */
const commandMs = 180_000;

function run(words, cwd, { token, input, env: more } = {}) {
  return new Promise((resolve) => {
    const env = { ...process.env, ...more, ...(token && { SWITCHYARD_TOKEN: token }) };
    const child = spawn(process.execPath, [program, ...words], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const timer = startTimer(() => child.kill('SIGKILL'), commandMs);
    const said = { out: '', all: '' };
    child.stdout.on('data', (text) => ((said.out += text), (said.all += text)));
    child.stderr.on('data', (text) => (said.all += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...said });
    });
  });
}

/** The product of a newcomer, until its past quarter is played. Answers what it printed, and how to stop it. */
async function start(cwd) {
  const child = spawn(process.execPath, [program, 'up', '--port', '0'], {
    cwd,
    // What the operator of the guide of reports has set.
    env: { ...process.env, SWITCHYARD_REPORTS_TO: join(cwd, 'report-files') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text;
      if (said.includes('npx switchyard approvals list')) resolve();
    });
    child.on('close', () => reject(new Error(`The product ended while it started:\n${said}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners('close');
      child.on('close', resolve);
      child.kill('SIGTERM');
    });
  return { said, stop };
}

/** Files that a page gives: a block of JSON after a line that names it, what `$ cat FILE` shows, and what a program of it writes. */
function giveFiles(text, cwd) {
  const given = [
    ...text.matchAll(/`([\w.-]+\.json)`[^`]*?:?\n\n```json\n([\s\S]*?)\n```/g),
    ...text.matchAll(/^\$ cat (\S+)\n([\s\S]*?)\n(?=\n|```)/gm),
  ];
  for (const [, file, body] of given) writeFileSync(join(cwd, file), `${thisMonth(body)}\n`);
  for (const [, program] of text.matchAll(/```js\n([^`]*writeFileSync[^`]*)```/g))
    spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, stdio: 'inherit' });
}

/** A page that is followed: what is known of this run, and what its reader may do between two lines. */
function guideOf(cwd) {
  const known = new Map();
  const real = (text) =>
    [...known].reduce(
      (word, [from, to]) => word.replaceAll(new RegExp(`(?<![A-Za-z_])${from}(?![A-Za-z_])`, 'g'), () => to),
      thisMonth(text, known),
    );
  const guide = {
    known,
    real,
    set: (from, to) => known.set(from, to),
    file: (name, body) => writeFileSync(join(cwd, name), typeof body === 'string' ? real(body) : body),
    packageAt: (name) => join(root, 'libs/connectors', name, 'dist/index.js'),
    path: (name) => join(cwd, name),
    read: (name) => readFileSync(join(cwd, name)),
    async ask(words, options) {
      const { code, out, all } = await run([...words.split(' ').map(real), '--json'], cwd, options);
      if (code !== 0 && code !== 6) throw new Error(`${words}: exit code ${code}\n${all}`);
      return JSON.parse(out);
    },
    /** Asks again until there is an answer, half a minute at most. */
    async until(question) {
      for (let tries = 0; tries < 60; tries += 1) {
        const found = await question();
        if (found !== undefined) return found;
        await setTimeout(500);
      }
      throw new Error('what the page goes on with did not come');
    },
    async rows(words, options) {
      const answer = await guide.ask(words, options);
      return Array.isArray(answer) ? answer : Object.values(answer).find(Array.isArray);
    },
  };
  return guide;
}

/** Why a command cannot be run as it stands; undefined if it can. */
function missing(words, cwd) {
  const own = words.find((word) => /(?:^|[:=])[A-Z][A-Z_]+$/.test(word) && !/^[A-Z]{3}$/.test(word));
  if (own !== undefined) return `a word of the reader, ${own}`;
  const name = words.find((word, place) => {
    const isFile = /^[\w./-]+\.(?:jsonl?|csv|txt|pem|xlsx|pdf)$/.test(word);
    return isFile && !['--out', '--to'].includes(words[place - 1]) && !existsSync(join(cwd, word));
  });
  return name && `a file of the reader, ${name}`;
}

/** What is wrong with a command and its output; undefined if all is as the page shows. */
function wrong({ shown }, { code, all }, expected) {
  const lines = all.split('\n');
  const lost = shown.filter((line) => !isShown(line, lines));
  if (code === expected && lost.length === 0) return undefined;
  const why = code === expected ? [] : [`exit code ${code} in place of ${expected}`];
  return [
    ...why,
    ...lost.map((line) => `not printed: ${line.trim()}`),
    '--- printed',
    all.trim().slice(0, 1500),
  ].join('\n');
}

function redirect({ source }, cwd, { out }) {
  const to = / > ([\w.-]+)/.exec(source)?.[1];
  if (to !== undefined) writeFileSync(join(cwd, to), out);
}

async function follow(page, cwd) {
  const text = readFileSync(join(root, pathOf(page)), 'utf8');
  giveFiles(text, cwd);
  const guide = guideOf(cwd);
  guide.set('127.0.0.1:7420', new URL((await guide.ask('token')).url).host);
  const steps = [...readers[page]];
  const counts = { ran: 0, lines: 0, skipped: [] };
  const failures = [];
  for (const command of commandsIn(text)) {
    const step = steps.findIndex(([prefix]) => command.text.startsWith(`switchyard ${prefix}`));
    const how = step < 0 ? undefined : steps.splice(step, 1)[0][1];
    const note = (why) =>
      counts.skipped.push(`${page}:${command.line}: ${command.text.slice(11, 60)}: ${why}`);
    try {
      const given = typeof how === 'function' ? await how(guide) : how;
      const words = command.words.map((word) => guide.real(word));
      const why = typeof given === 'string' ? given : missing(words, cwd);
      if (why !== undefined) note(why);
      else {
        const input = / < ([\w.-]+)/.exec(command.source)?.[1];
        const printed = await run(words, cwd, {
          ...given,
          ...(input && { input: readFileSync(join(cwd, input)) }),
        });
        redirect(command, cwd, printed);
        counts.ran += 1;
        counts.lines += command.shown.length;
        idsOf(command.shown, printed.all).forEach(([from, to]) => guide.set(from, to));
        const fault = wrong(command, printed, given?.exit ?? exitCodeOf(command.shown));
        if (fault !== undefined) failures.push(`${pathOf(page)}:${command.line}: ${command.text}\n${fault}`);
      }
    } catch (error) {
      failures.push(`${pathOf(page)}:${command.line}: ${command.text}\nbefore it: ${error.message}`);
    }
  }
  for (const [prefix] of steps) failures.push(`${pathOf(page)}: no command begins with: ${prefix}`);
  return { ...counts, failures };
}

/** Lines of the README about the start, of its blocks that begin so, which were not printed. */
function lostOfStart(said) {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').match(
    /(?<=```\n)(?:1\. Switchyard| {3}Closed:)[^`]*/g,
  );
  // An address that signs in is shown at a terminal alone.
  const lines = blocks
    .join('')
    .split('\n')
    .filter((line) => !line.includes('sy_[...]'));
  console.log(`README.md: npm start, ${lines.length} lines compared`);
  return lines
    .filter((line) => !isShown(line, said.split('\n')))
    .map((line) => `README.md: not printed by npm start: ${line}`);
}

const cwd = at ?? mkdtempSync(join(tmpdir(), 'switchyard-guides-'));
const { said, stop } = at === undefined ? await start(cwd) : { said: '', stop: () => undefined };
const failures = said === '' ? [] : lostOfStart(said);
try {
  for (const page of pages) {
    const found = await follow(page, cwd);
    console.log(
      `${pathOf(page)}: ${found.ran} commands ran, ${found.lines} lines compared, ${found.skipped.length} not run, ${found.failures.length} wrong`,
    );
    found.skipped.forEach((line) => console.log(`  not run: ${line}`));
    failures.push(...found.failures);
  }
} finally {
  await stop();
  if (at === undefined) rmSync(cwd, { recursive: true, force: true });
}
for (const failure of failures) console.error(`\n${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
