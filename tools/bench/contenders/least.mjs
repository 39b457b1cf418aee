/** `least-server.mjs` in a process of its own, called over REST as the whole server is. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuMsOf } from '../webhooks/machine.mjs';
import { askOverRest, rssMbOf } from './whole-server.mjs';

const script = fileURLToPath(new URL('./least-server.mjs', import.meta.url));

/** `ownerUrl`: the database of a whole server that runs beside it. */
export async function least(sellers, { ownerUrl }) {
  const server = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const answer = async (message) => {
    server.send(message);
    const [said] = await once(server, 'message');
    return said;
  };
  const instance = await answer({ sellers, ownerUrl });
  return {
    ask: askOverRest(instance),
    cpuMs: () => cpuMsOf(server.pid),
    rssMb: () => rssMbOf(server.pid),
    liveMb: () => answer({ live: true }),
    close: () => server.disconnect(),
  };
}
