/**
 * Loaded into the server by `--import`: measures its event loop, and reports over a socket how long it was blocked.
 *
 * A timer fires every 5 ms if nothing blocks it. The wall time between two ticks is how long nobody else was served;
 * the CPU time of the main thread is how long one slice took: on a loaded machine the second is more accurate.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const everyMs = 5;
const path = process.env.SWITCHYARD_BENCH_STALLS;

/** Nanoseconds of CPU time of the main thread, from Linux. */
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
