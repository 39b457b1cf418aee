/** Child processes of a benchmark: sellers and contenders. Each gets one IPC message at a time. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

function started(script, args) {
  const child = fork(here(script), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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
  await next();
  return {
    label,
    /** One round: `{ nonce, only?, calls? }`. */
    run: (round) => {
      child.send({ run: round });
      return next();
    },
    /** Lets it clean up; resolves when it has ended. */
    stop: () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.send({ stop: true });
      return gone;
    },
  };
}
