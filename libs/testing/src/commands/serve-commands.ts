import { PassThrough, Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { CommandLine, CommandRun } from './command-host.js';

/*
 * The process behind `runCommand`. Its argument is the bundle of the command line; each message is a command line, and
 * each answer the result. It ends with the process that started it.
 */
interface Bundle {
  runLine(args: readonly string[], deps: object): Promise<number | undefined>;
}

const bundle = (await import(pathToFileURL(process.argv[2] ?? '').href)) as Bundle;

process.on('disconnect', () => process.exit());
process.on('message', ({ id, line }: { readonly id: number; readonly line: CommandLine }) => {
  void run(line).then((result) => process.send?.({ id, result }));
});

async function run({ args, cwd, input, env }: CommandLine): Promise<CommandRun> {
  let exitCode = 0;
  const [stdout, stderr] = [recorded(), recorded()];
  const code = await bundle.runLine(args, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    env,
    cwd,
    color: false,
    layout: { columns: 80 },
    exitWith: (wanted: number) => {
      exitCode = wanted;
    },
  });
  return { code: code ?? exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function recorded(): { readonly stream: PassThrough; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
