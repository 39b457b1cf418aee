/** Child processes of a benchmark: sellers and contenders. Each gets one IPC message at a time. */
import { execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const bin = here('../../apps/cli/bin/switchyard.mjs');

/** Address and token of a server that was just started, once it answers. */
export async function tokenOf(data, server) {
  const until = Date.now() + 90_000;
  for (;;) {
    try {
      const token = await promisify(execFile)(process.execPath, [bin, 'token', '--data', data, '--json']);
      return JSON.parse(token.stdout);
    } catch (error) {
      if (server.exitCode !== null || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** A child process that answers each message with one; `quiet`: without what it writes to standard error. */
export function startWorker(script, closers, { quiet = false } = {}) {
  const { child, next } = started(script, [], quiet ? 'ignore' : 'inherit');
  closers.push(() => child.connected && child.disconnect());
  return {
    pid: child.pid,
    next,
    ask: (message) => {
      const answer = next();
      child.send(message);
      return answer;
    },
  };
}

function started(script, args, errors = 'inherit') {
  const child = fork(here(script), args, { stdio: ['ignore', 'ignore', errors, 'ipc'] });
  const next = () =>
    new Promise((resolve, reject) => {
      const gone = (code) => reject(new Error(`${script} ended with ${code}`));
      child.once('exit', gone);
      child.once('message', (message) => {
        child.off('exit', gone);
        resolve(message);
      });
    });
  return { child, next };
}

/** A group of sellers that take `delayMs` for a task. */
export async function startFarm(count, delayMs = 0) {
  const { child, next } = started('./seller-farm.mjs', [String(count), String(delayMs)]);
  const { sellers } = await next();
  return {
    sellers,
    hang: (slugs) => {
      child.send({ hang: slugs });
      return next();
    },
    /** Each seller's answer to `get_products`: a kind of `hostile/answers.mjs` for each. */
    say: (kinds) => {
      child.send({ say: kinds });
      return next();
    },
    stop: () => child.disconnect(),
  };
}

export async function startContender(label, name, sellers, options = {}) {
  const { child, next } = started('./contender.mjs', []);
  child.send({ make: { name, sellers, options } });
  const { ownerUrl } = await next();
  return {
    label,
    /** Of the database of a whole server. */
    ownerUrl,
    /** One round: `{ nonce, only?, calls? }`. */
    run: (round) => {
      child.send({ run: round });
      return next();
    },
    /** What is live in its memory after a collection, in MB. */
    liveMb: async () => {
      child.send({ live: true });
      return (await next()).liveMb;
    },
    /** Lets it clean up; resolves when it has ended. */
    stop: () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.send({ stop: true });
      return gone;
    },
  };
}
