/**
 * Loaded into the server by `--import`: watches its event loop, and tells over a socket how long it stood still.
 *
 * A timer fires every 5 ms where nothing is in its way. Between two of its ticks lie as much time as nobody else got,
 * and as much CPU time of the main thread as one slice of work took: on a loaded machine the second is the truer one.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const everyMs = 5;
const path = process.env.SWITCHYARD_BENCH_STALLS;

/** Nanoseconds that the main thread has run, as Linux counts them. */
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`);
const buffer = Buffer.alloc(64);
const cpuMs = () =>
  Number.parseInt(buffer.toString('latin1', 0, readSync(schedstat, buffer, 0, 64, 0)), 10) / 1e6;

if (path !== undefined && process.argv.includes('up')) watch();
else closeSync(schedstat);

function watch() {
  let longest = { ms: 0, cpuMs: 0 };
  let last = { at: performance.now(), cpu: cpuMs() };
  const tick = () => {
    const now = { at: performance.now(), cpu: cpuMs() };
    longest = {
      ms: Math.max(longest.ms, now.at - last.at - everyMs),
      cpuMs: Math.max(longest.cpuMs, now.cpu - last.cpu),
    };
    last = now;
  };
  setInterval(tick, everyMs).unref();
  rmSync(path, { force: true });
  createServer((socket) => {
    tick();
    socket.end(JSON.stringify(longest));
    longest = { ms: 0, cpuMs: 0 };
  })
    .listen(path)
    .unref();
}
