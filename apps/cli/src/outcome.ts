import type { Command } from 'commander';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps, ExitCode } from './deps.js';
import { plain } from './plain.js';

/** The output of a command: one value, in two forms. */
export interface Shown {
  /** Printed alone with `--json`; undefined if everything is printed already. */
  readonly json: unknown;
  /** Printed for people. */
  readonly text: string;
  /** Printed to standard error beside JSON: what people read at the end of the text. */
  readonly note?: string;
  /** Set if the command ran and its result is negative: the reason, for exit code 1. */
  readonly failed?: string;
  /** Exit code of a result that is neither done nor failed. */
  readonly exit?: Exclude<ExitCode, 2>;
}

export interface CliFailure {
  readonly message: string;
  /** How to correct it. */
  readonly hint?: string;
  /** The unchanged answer of the server. */
  readonly body?: unknown;
}

export type Outcome = Result<Shown, CliFailure>;

/** Sends a request and shows its answer: unchanged with `--json`, and otherwise as text for people. */
export async function shown(
  request: Promise<Result<JsonObject, CliFailure>>,
  textOf: (answer: JsonObject) => string,
): Promise<Outcome> {
  const answer = await request;
  if (!answer.ok) return answer;
  const { value } = answer;
  const waits = waitingFor(value);
  return ok(waits ?? { json: value, text: [textOf(value), ...takenAlone(value)].join('\n') });
}

const takenAlone = ({ alone }: JsonObject): readonly string[] =>
  alone === true
    ? ['Another person would have to approve this, and nobody else could: it was done at once.']
    : [];

/** What is shown of an answer that another person must approve first; undefined of any other answer. */
export function waitingFor({ approval_id: id, state, ...others }: JsonObject): Shown | undefined {
  if (typeof id !== 'string' || state !== 'open' || Object.keys(others).length > 0) return undefined;
  const text = `Another person must approve this. Approval: ${plain(id)}. See it with: switchyard approvals show ${plain(id)}`;
  return { json: { approval_id: id, state }, text, exit: 6 };
}

/** The action of a command that does `work` with its arguments and options, and prints the outcome. */
export function printing<Args extends readonly unknown[], Options extends { readonly json?: boolean }>(
  deps: CliDeps,
  work: (deps: CliDeps, ...given: [...args: Args, options: Options]) => Promise<Outcome>,
): (...given: [...args: Args, options: Options, command: Command]) => Promise<void> {
  return async (...given) => {
    const input = given.slice(0, -1) as unknown as [...args: Args, options: Options];
    finish(deps, given.at(-2) as Options, await work(deps, ...input));
  };
}

/** Prints the outcome: answers to standard output, failures to standard error. */
export function finish(deps: CliDeps, options: { readonly json?: boolean }, outcome: Outcome): void {
  if (outcome.ok) {
    const { json, text, note, failed, exit = 0 } = outcome.value;
    const isJson = options.json === true && json !== undefined;
    const printed = isJson ? JSON.stringify(json, null, 2) : text;
    if (printed !== '') deps.stdout.write(`${printed}\n`);
    if (isJson && note !== undefined) deps.stderr.write(`${plain(note)}\n`);
    if (failed === undefined) return deps.exitWith(exit);
    deps.stderr.write(`${plain(failed)}\n`);
    return deps.exitWith(1);
  }
  const { message, hint, body } = outcome.error;
  if (options.json === true) {
    const suggestion = hint === undefined ? {} : { suggestion: hint };
    const reported = body ?? { errors: [{ code: 'COMMAND_FAILED', message, ...suggestion }] };
    deps.stdout.write(`${JSON.stringify(reported, null, 2)}\n`);
  }
  deps.stderr.write(`${plain(message)}\n${hint === undefined ? '' : `${plain(hint)}\n`}`);
  deps.exitWith(1);
}
