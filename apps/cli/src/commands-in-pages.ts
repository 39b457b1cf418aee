import { CommanderError, type Command } from 'commander';

/** A command of a page, as the shell would give it to the program. */
export interface PageCommand {
  readonly line: number;
  readonly text: string;
  /** The whole line, with what a shell does beside the command. */
  readonly source: string;
  readonly words: readonly string[];
  /** The lines that the page shows after it, up to the next command or the end of the block. */
  readonly shown: readonly string[];
}

const fence = /^\s*```/;
/** `$ npx switchyard ...`, after a prompt, settings, a pipe or the beginning of the line. */
const call = /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?switchyard (?<rest>[a-z-].*)$/;

/** The commands in the code blocks of a page of Markdown. Lines that end with a backslash go on. */
export function commandsIn(page: string): readonly PageCommand[] {
  const found: PageCommand[] = [];
  const shown = new Map<PageCommand, string[]>();
  let isCode = false;
  let last: PageCommand | undefined;
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1;
    if (fence.test(lines[at] ?? '')) {
      isCode = !isCode;
      last = undefined;
    } else if (isCode) {
      let text = lines[at] ?? '';
      while (text.endsWith('\\') && at + 1 < lines.length) {
        at += 1;
        text = `${text.slice(0, -1)} ${(lines[at] ?? '').trim()}`;
      }
      const made = callsIn(text).map((rest) => {
        const output: string[] = [];
        const command = {
          line,
          text: `switchyard ${rest}`,
          source: text,
          words: wordsOf(rest),
          shown: output,
        };
        shown.set(command, output);
        return command;
      });
      if (made.length > 0 || text.startsWith('$ ')) last = made.at(-1);
      else if (last !== undefined) shown.get(last)?.push(text);
      found.push(...made);
    }
  }
  return found;
}

const callsIn = (text: string): readonly string[] =>
  text.split(/ (?:\|\|?|&&) |; /).flatMap((part) => call.exec(part)?.groups?.['rest'] ?? []);

/** Words as a shell splits them, up to a comment or a redirection. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (word.startsWith('#')) break;
    if (/^\d?[<>]/.test(word)) break;
    words.push(word.replaceAll(/["']/g, ''));
  }
  return words;
}

/** A program whose commands do nothing. */
export function silenced(program: Command): Command {
  if (program.commands.length === 0) program.action(() => undefined);
  program.commands.forEach(silenced);
  return program;
}

/** Why a silenced program refuses a command as wrong usage; undefined where it takes it. */
export function refusalOf(program: Command, words: readonly string[]): string | undefined {
  try {
    program.parse([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : error.message;
  }
}
