/**
 * `node tools/files-run.mjs`, after `npm run build`
 *
 * Counts the files of ours of which a function ran in the server during one `get_products` and one `create_media_buy` over
 * REST, with every cache warm: from V8's own counts in a running instance, three times each, the smallest one printed.
 * What also runs without a request, such as looking for due work, is not counted.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { buyRequest, Catalogue } from '../apps/e2e/server/dist/harness/buy-request.js';
import { callTask } from '../apps/e2e/server/dist/harness/call-task.js';
import { startInstance } from '../apps/e2e/server/dist/harness/instance.js';
import { waitUntil } from '../apps/e2e/server/dist/harness/wait-until.js';

/** A client of V8's inspector in another process. */
async function inspector(pid, printed) {
  process.kill(pid, 'SIGUSR1');
  const address = await waitUntil('the inspector listens', async () => /ws:\/\/\S+/.exec(printed())?.[0]);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(error === undefined ? result : { error });
    waiting.delete(id);
  });
  let last = 0;
  const send = (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set((last += 1), resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { send, close: () => socket.close() };
}

/** The files of ours of which a function ran since the last count. */
async function filesRun({ send }) {
  const { result } = await send('Profiler.takePreciseCoverage');
  const files = new Set();
  for (const { url, functions } of result) {
    if (!/^file:.*\/(apps|libs)\/.*\/dist\//.test(url)) continue;
    if (functions.some(({ ranges }) => ranges[0].count > 0)) files.add(url);
  }
  return files;
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-files-'));
// A bundle is one file: the program runs the built files one by one here.
const built = new URL('../apps/cli/dist/index.js', import.meta.url);
const program = join(folder, 'program.mjs');
writeFileSync(program, `process.exitCode = await (await import('${built}')).main(process.argv.slice(2));`);
const data = join(folder, 'data');
mkdirSync(data);
const instance = await startInstance(data, [], { NODE_OPTIONS: '--inspect-port=0' }, program);
try {
  const v8 = await inspector(instance.pid, () => instance.stderr());
  await v8.send('Profiler.enable');
  await v8.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const beside = new Set();
  for (let round = 0; round < 3; round += 1) {
    await filesRun(v8);
    await pause(2_000);
    for (const file of await filesRun(v8)) beside.add(file);
  }
  const buyer = { url: instance.url, token: instance.token };
  const catalogue = await Catalogue.read(buyer);
  const buy = () => callTask('REST', buyer, 'create_media_buy', buyRequest([catalogue.packageOf('prompt')]));
  const brief = { buying_mode: 'brief', brief: 'video' };
  const ask = () => callTask('REST', buyer, 'get_products', brief);
  for (const [name, work] of [
    ['get_products', ask],
    ['create_media_buy', buy],
  ]) {
    const counts = [];
    await work();
    for (let round = 0; round < 3; round += 1) {
      await filesRun(v8);
      const { httpStatus: status, body } = await work();
      if (status >= 400 || body.errors?.length > 0)
        throw new Error(`${name}: ${JSON.stringify(body).slice(0, 400)}`);
      counts.push([...(await filesRun(v8))].filter((file) => !beside.has(file)).length);
    }
    console.log(`Files run by ${name}  ${Math.min(...counts)}`);
  }
  v8.close();
} finally {
  await instance.stop();
  rmSync(folder, { recursive: true, force: true });
}
