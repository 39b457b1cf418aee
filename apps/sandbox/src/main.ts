import { parseArgs } from 'node:util';
import { PortTaken, startSandbox, type SandboxOptions } from './start-sandbox.js';

const usage =
  'usage: main.js --port N --data DIR --seed TEXT [--day-ms 1000] [--scale 1] [--agents slug,slug]';

/** Exit codes: 0 stopped, 1 failed, 2 wrong usage, 3 the control port is taken. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) return fail(2, usage);
  const sandbox = await startSandbox(options);
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void sandbox.stop().then(() => process.exit(0));
  };
  // The parent holds the other end of standard input: when it has gone, this process ends.
  process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
  process.on('SIGTERM', stop).on('SIGINT', stop);
  // Passes the onboarding secrets to the parent: one line, and the only one.
  const { url, agents, publisher } = sandbox;
  process.stdout.write(`${JSON.stringify({ url, agents, publisher })}\n`);
}

function readOptions(args: readonly string[]): SandboxOptions | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { port: text, data: text, seed: text, 'day-ms': text, scale: text, agents: text },
    });
    const numbers = {
      port: Number(values.port),
      dayMs: Number(values['day-ms'] ?? 1000),
      scale: Number(values.scale ?? 1),
    };
    if (values.port === undefined || values.data === undefined || values.seed === undefined) return undefined;
    if (!Number.isInteger(numbers.port) || !(numbers.dayMs > 0) || !(numbers.scale >= 0)) return undefined;
    const agents = values.agents === undefined ? {} : { agents: values.agents.split(',') };
    return { ...numbers, dataDir: values.data, seed: values.seed, ...agents };
  } catch {
    return undefined;
  }
}

function fail(code: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
}

main().catch((error: unknown) => {
  if (error instanceof PortTaken) return fail(3, `sandbox: ${error.message}`);
  return fail(1, `sandbox: ${error instanceof Error ? error.message : String(error)}`);
});
