import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One request to a child process, as one line of JSON on its standard input. */
interface Question {
  readonly id: number;
  readonly request: string;
  readonly with: unknown;
}

/** The child's answer, as one line of JSON on its standard output. */
type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: string };

type Answers = Readonly<Record<string, (given: never) => unknown>>;

/** A process of ours that runs third-party code and answers requests. */
export interface Child {
  /** Throws with the child's error text if the child failed or has ended. */
  request<T>(question: string, given?: unknown): Promise<T>;
  /** Ends the child and waits for it. */
  stop(): Promise<void>;
  /** Everything on its standard error, for the message of a failing test. */
  complaints(): string;
}

/**
 * Starts a built module of this package, named by its path below `dist`, in its own process. Jest on Node 20 cannot
 * load the public SDK, which is CommonJS over native modules; and separate processes cannot share a bug of one of them.
 */
export function startChild(module: string, env: Readonly<Record<string, string>> = {}): Child {
  const built = fileURLToPath(new URL(`../dist/${module}`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', built], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const reported: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => reported.push(text));
  const waiting = new Map<number, (reply: Reply) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{"id":')) return void reported.push(`${line}\n`);
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  child.once('exit', (code) => {
    for (const [id, settle] of waiting)
      settle({ id, failed: `the child ended with ${code ?? 'a signal'}: ${reported.join('')}` });
    waiting.clear();
  });
  let last = 0;
  return {
    request: <T>(question: string, given: unknown = null) =>
      new Promise<T>((resolve, reject) => {
        if (hasEnded(child)) return reject(new Error(`the child is gone: ${reported.join('')}`));
        const id = (last += 1);
        waiting.set(id, (reply) => {
          if ('failed' in reply) reject(new Error(reply.failed));
          else resolve(reply.answer as T);
        });
        child.stdin.write(`${JSON.stringify({ id, request: question, with: given } satisfies Question)}\n`);
      }),
    stop: () => stop(child),
    complaints: () => reported.join(''),
  };
}

/** The child's side: answers each line until standard input ends; then the process ends. */
export function answerQuestions(answers: Answers): void {
  const send = (reply: Reply): void => void process.stdout.write(`${JSON.stringify(reply)}\n`);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, request, with: given } = JSON.parse(line) as Question;
    const answer = answers[request];
    if (answer === undefined) return send({ id, failed: `nobody answers ${request}` });
    Promise.resolve()
      .then(() => answer(given as never))
      .then(
        (result) => send({ id, answer: result ?? null }),
        (error: unknown) =>
          send({ id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  lines.once('close', () => process.exit(0));
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  const impatient = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(impatient);
}
