/** The process of `imports.mjs` that imports one file with the server's own code. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { financeFiles, invoiceRepository, openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';

const built = (path) => import(new URL(`../../apps/server/dist/${path}`, import.meta.url));

export async function importOf({ url, organizationId, principalId, connectionId, file }) {
  const { invoiceRoutes } = await built('finance/invoices.routes.js');
  const { readingGate } = await built('platform/routes/read-file.js');
  const { principalCaller } = await built('platform/caller/principal-caller.js');
  const store = openStore(url, { answerMs: 600_000 });
  const caller = principalCaller({ id: principalId, organizationId, permissions: allPermissions });
  const deps = {
    files: financeFiles(store),
    fileLimits: { bytes: 256_000_000, rows: 1_000_001 },
    fileReads: readingGate(1),
    invoices: invoiceRepository(store),
    connections: { list: () => Promise.resolve([{ id: connectionId, slug: 'prompt' }]) },
    clock: { now: () => Date.UTC(2026, 10, 10) },
  };
  const route = invoiceRoutes.find(({ id }) => id === 'import_invoice');
  // The first query of a process compiles Prisma's engine. A server has asked it long before.
  await deps.invoices.mapping(caller, connectionId);
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const before = process.memoryUsage.rss();
  const computed = longestTurn();
  loop.enable();
  const start = performance.now();
  const body = {
    seller: 'prompt',
    file_id: file.id,
    ...(process.env.ANSWERS && { answers: JSON.parse(process.env.ANSWERS) }),
  };
  const answer = await route.handle(deps, { caller, params: {}, query: {}, body });
  const seconds = (performance.now() - start) / 1_000;
  loop.disable();
  const computedMs = computed();
  if (!answer.ok) throw new Error(answer.error.message);
  const { invoices, lines, refused, questions } = answer.value;
  if (refused.length > 0 || questions !== undefined || invoices.length === 0)
    throw new Error(JSON.stringify({ refused: refused.slice(0, 3), questions }));
  return {
    'file MB': Math.round(file.bytes / 1e6),
    seconds: Number(seconds.toFixed(1)),
    'peak MB': Math.round(process.resourceUsage().maxRSS / 1_024),
    'MB before': Math.round(before / 1e6),
    'longest hold ms': Math.round(loop.max / 1e6),
    'of it computing': Math.round(computedMs),
    documents: invoices.length,
    lines,
  };
}

/**
 * The longest hold of the event loop that the process itself has caused: the smaller one of the time and the processor time
 * of this process between two ticks of 5 ms. On a machine with other work the clock alone says how long it waited for a
 * processor.
 */
function longestTurn() {
  let [longest, at, cpu] = [0, performance.now(), process.cpuUsage()];
  const timer = setInterval(() => {
    const [now, { user, system }] = [performance.now(), process.cpuUsage(cpu)];
    longest = Math.max(longest, Math.min(now - at - 5, (user + system) / 1_000));
    [at, cpu] = [now, process.cpuUsage()];
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
