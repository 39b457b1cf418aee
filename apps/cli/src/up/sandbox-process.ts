import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { err, isJsonObject, ok, parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import type { CliFailure } from '../outcome.js';

/** One agent of the sandbox market, as its process reports it. The token is a secret: it is only passed on. */
export interface SandboxAgent {
  readonly slug: string;
  readonly name: string;
  readonly character: string;
  readonly agentUrl: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: 'ads' | 'adcp';
  readonly token: string;
  readonly booksUrl: string;
}

/** A publisher of the market, whose desk is found by its domain. The secret is only passed on. */
export interface SandboxPublisher {
  /** `127.0.0.1:PORT`. */
  readonly domain: string;
  readonly agentUrl: string;
  /** The client that its desk has given us at its authorization server. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The account in which we buy there. */
  readonly account: string;
}

export interface RunningSandbox {
  readonly url: string;
  readonly agents: readonly SandboxAgent[];
  /** Absent if its desk was not started. */
  readonly publisher?: SandboxPublisher;
  readonly pid: number;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

const seed = 'practice';
const portTaken = 3;
/** Milliseconds. It usually takes a second; this allows for a busy machine. */
const readyWithinMs = 120_000;

interface SandboxProcessOptions {
  /** Slugs; absent: the whole market. */
  readonly agents?: readonly string[] | undefined;
  /** Called with each problem of the running market, once in a row, and when it ends by itself. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Starts the sandbox market as a separate process: it uses the network like any seller, and can die like one. Its
 * standard input is a pipe of ours, so that it ends when we do, even after a crash.
 */
export async function startSandboxProcess(
  dataFolder: string,
  options: SandboxProcessOptions,
): Promise<Result<RunningSandbox, CliFailure>> {
  try {
    return await startOn(dataFolder, options);
  } catch (error) {
    // For example a full disk.
    return err({ message: `The sandbox market did not start: ${(error as Error).message}` });
  }
}

async function startOn(
  dataFolder: string,
  options: SandboxProcessOptions,
): Promise<Result<RunningSandbox, CliFailure>> {
  const folder = join(dataFolder, 'sandbox');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const portFile = join(folder, 'control-port');
  const before = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  const first = await launch(folder, Number.isInteger(before) ? before : 0, options);
  // The port was taken meanwhile: the market moves, and is onboarded at its new addresses.
  const started = !first.ok && first.error.exitCode === portTaken ? await launch(folder, 0, options) : first;
  if (!started.ok) return err({ message: `The sandbox market did not start: ${started.error.message}` });
  writeFileSync(portFile, new URL(started.value.url).port);
  return ok(started.value);
}

interface LaunchFailure {
  readonly message: string;
  readonly exitCode?: number;
}

async function launch(
  folder: string,
  port: number,
  { agents, onProblem }: SandboxProcessOptions,
): Promise<Result<RunningSandbox, LaunchFailure>> {
  const entry = createRequire(import.meta.url).resolve('@switchyard/sandbox');
  const script = join(entry, '../../bundle/main.js');
  const args = [script, '--port', String(port), '--data', folder, '--seed', seed];
  if (agents !== undefined) args.push('--agents', agents.join(','));
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const introduced = await introduction(child);
  if (introduced === undefined) {
    child.kill('SIGKILL');
    const message = complaints.join('').trim().split('\n').at(-1) ?? 'no reason given';
    return err({ message, ...(child.exitCode === null ? {} : { exitCode: child.exitCode }) });
  }
  child.stderr.removeAllListeners('data');
  const state = { isStopping: false, last: '' };
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('sandbox: ') && line !== state.last) onProblem(line.slice('sandbox: '.length));
    state.last = line;
  });
  child.once('exit', (code, signal) => {
    // A Ctrl-C at a terminal ends it too, with 0.
    if (state.isStopping || code === 0) return;
    onProblem(`It ended (${String(signal ?? code)}). Its sellers do not answer until the next start.`);
  });
  return ok({
    ...introduced,
    pid: child.pid ?? 0,
    stop: () => {
      state.isStopping = true;
      return stop(child);
    },
  });
}

/** The one line that the market prints when it is ready; undefined if it ended or printed nothing. */
async function introduction(
  child: ChildProcess,
): Promise<Pick<RunningSandbox, 'url' | 'agents' | 'publisher'> | undefined> {
  if (child.stdout === null) return undefined;
  const lines = createInterface({ input: child.stdout });
  // Ending it closes its output, and so ends the lines.
  const giveUp = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
  try {
    for await (const line of lines) {
      const parsed = parseStrictJson(Buffer.from(line));
      if (parsed.ok && isJsonObject(parsed.value.value)) return readIntroduction(parsed.value.value);
    }
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
    return undefined;
  } finally {
    clearTimeout(giveUp);
  }
}

function readIntroduction(reported: JsonObject): Pick<RunningSandbox, 'url' | 'agents' | 'publisher'> {
  const agents = Array.isArray(reported['agents']) ? reported['agents'].filter(isJsonObject) : [];
  const text = (agent: JsonObject, name: string): string =>
    typeof agent[name] === 'string' ? agent[name] : '';
  const { publisher } = reported;
  const desk = isJsonObject(publisher) ? publisher['desk'] : undefined;
  return {
    url: text(reported, 'url'),
    ...(isJsonObject(publisher) &&
      isJsonObject(desk) && {
        publisher: {
          domain: text(publisher, 'domain'),
          agentUrl: text(desk, 'agent_url'),
          clientId: text(desk, 'client_id'),
          clientSecret: text(desk, 'token'),
          account: text(publisher, 'account'),
        },
      }),
    agents: agents.map((agent) => ({
      slug: text(agent, 'slug'),
      name: text(agent, 'name'),
      character: text(agent, 'character'),
      agentUrl: text(agent, 'agent_url'),
      protocol: agent['protocol'] === 'a2a' ? 'a2a' : 'mcp',
      dialect: agent['dialect'] === 'ads' ? 'ads' : 'adcp',
      token: text(agent, 'token'),
      booksUrl: text(agent, 'books_url'),
    })),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(impatient);
}
