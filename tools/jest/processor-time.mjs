import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Linux counts the processor time of a process in hundredths of a second. */
const ticksPerSecond = 100;

/** What `/proc` says of a process (see `proc_pid_stat(5)`): its parent, program and time, and that of its ended children. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const program = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
    const [, parent, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, userOfEnded, systemOfEnded] = fields.slice(9, 13).map(Number);
    return { parent: Number(parent), program, ticks: user + system + userOfEnded + systemOfEnded };
  } catch {
    return undefined;
  }
}

/** All processes, where there is `/proc`. */
function processes() {
  const stats = new Map();
  if (statOf(process.pid) === undefined) return stats;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  return stats;
}

/** How each program that suites start is told to end. PostgreSQL ends at once: nobody reads its databases again. */
const endings = { node: 'SIGTERM', postgres: 'SIGQUIT' };

/** The programs in Node, and the PostgreSQL, that a process has started and that still run: their ids and signals. */
export const childrenOf = (parent) =>
  [...processes()].flatMap(([pid, stat]) =>
    stat.parent === parent && stat.program in endings ? [[pid, endings[stat.program]]] : [],
  );

/** The processor seconds of this process and of all below it, with those that it has waited for. */
function spentSeconds() {
  const stats = processes();
  const isOurs = (pid) => pid === process.pid || (stats.has(pid) && isOurs(stats.get(pid).parent));
  let ticks = 0;
  for (const [pid, stat] of stats) if (isOurs(pid)) ticks += stat.ticks;
  return ticks / ticksPerSecond;
}

/**
 * If SPEC_TIMES names a file, returns a function that adds a line to it: the processor seconds since this call, of Jest
 * and of what the spec started (servers, databases), and the spec file. Only where there is `/proc`.
 */
export function timed(spec) {
  const { SPEC_TIMES } = process.env;
  if (SPEC_TIMES === undefined || statOf(process.pid) === undefined) return () => undefined;
  const before = spentSeconds();
  return () =>
    appendFileSync(SPEC_TIMES, `${(spentSeconds() - before).toFixed(1)} ${relative(process.cwd(), spec)}\n`);
}
