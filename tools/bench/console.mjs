/* global document, requestAnimationFrame, PerformanceObserver */
/**
 * The console in Chromium over 100,000 buys: scrolls a list to its hundredth page, and types into a filter while 200
 * buys a second change. A frame is blank if the list has rows for the visible place and shows none of them.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { makeRows } from './lists-rows.mjs';
import { quantile } from './statistics.mjs';

const built = (file) => import(new URL(`../../apps/e2e/${file}.js`, import.meta.url));

const box = '[role=region][aria-label=Buys]';
const changesPerSecond = 200;

export async function consolePages({ quick }) {
  const { dataFolder, ownerUrlOf } = await built('server/dist/harness/data-folder');
  const { startInstance } = await built('server/dist/harness/instance');
  const { jsonOf } = await built('server/dist/harness/run-switchyard');
  const { openWindow, signInBy, settled } = await built('browser/dist/harness/browser');
  const folder = dataFolder();
  const size = quick ? 10_000 : 100_000;
  const scenario = `The list of buys in Chromium, ${size} rows`;
  let instance;
  let owner;
  let window;
  try {
    instance = await startInstance(folder.path, ['--no-sandbox']);
    owner = new pg.Pool({ connectionString: ownerUrlOf(folder.path), max: 2 });
    const { rows } = await owner.query("select id from organization where slug = 'local'");
    await makeRows(owner, rows[0].id, size, false);
    await owner.query('vacuum analyze');
    window = await openWindow();
    const { link } = await jsonOf(['principals', 'link', 'operator', '--data', folder.path]);
    await signInBy(window.page, link);
    const open = async () => {
      await window.page.goto(`${instance.url}/console/buys`);
      await window.page.locator(`${box} tbody tr[data-index]`).first().waitFor();
      await settled(window.page);
    };
    const opening = performance.now();
    await open();
    const firstRow = Math.round(performance.now() - opening);
    const scrolled = await scroll(window.page, quick ? 2_000 : 10_000);
    const quiet = await type(window.page);
    const busy = await whileChanging(owner, rows[0].id, () => type(window.page));
    await open();
    const busyAtFirst = await whileChanging(owner, rows[0].id, () => type(window.page));
    return [
      [
        { scenario, contender: 'scrolling', 'first row, ms': firstRow, ...scrolled },
        { scenario, contender: `typing, ${scrolled.rows} rows read, no changes (the floor)`, ...quiet },
        { scenario, contender: `typing, ${scrolled.rows} rows read, changes`, ...busy },
        { scenario, contender: 'typing, 100 rows read, changes', ...busyAtFirst },
      ],
    ];
  } finally {
    await window?.close();
    await owner?.end();
    await instance?.stop();
    await folder.remove();
  }
}

/** Scrolls until so many rows were read, a screen every 100 ms, and checks each frame. */
async function scroll(page, wanted) {
  await page.evaluate((selector) => {
    const seen = (globalThis.seen = { frames: [], blank: 0, going: true });
    const area = document.querySelector(selector);
    let last = performance.now();
    const look = (now) => {
      if (!seen.going) return;
      seen.frames.push(now - last);
      last = now;
      const { top, bottom } = area.getBoundingClientRect();
      const head = area.querySelector('thead th').getBoundingClientRect().bottom;
      const rows = [...area.querySelectorAll('tbody tr[data-index]')].map((row) =>
        row.getBoundingClientRect(),
      );
      const shown = rows.filter((row) => row.bottom > head && row.top < bottom);
      const covered = shown.reduce(
        (sum, row) => sum + Math.min(row.bottom, bottom) - Math.max(row.top, head, top),
        0,
      );
      const atEnd = area.scrollTop + area.clientHeight >= area.scrollHeight - 2;
      if (covered < bottom - head - 20 && !atEnd) seen.blank += 1;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, box);
  const began = performance.now();
  let read = 0;
  while (read < wanted && performance.now() - began < 240_000) {
    await page.evaluate((selector) => {
      const area = document.querySelector(selector);
      area.scrollBy(0, area.clientHeight);
    }, box);
    await pause(100);
    const rows = await page
      .locator(`${box} tbody tr[data-index]`)
      .evaluateAll((all) => all.at(-1)?.dataset['index']);
    read = Number(rows ?? 0);
  }
  const { frames, blank } = await page.evaluate(() => {
    globalThis.seen.going = false;
    return globalThis.seen;
  });
  return {
    rows: read,
    'rows/s': Math.round(read / ((performance.now() - began) / 1000)),
    frames: frames.length,
    'blank frames': blank,
    'frame p95, ms': Math.round(quantile(frames, 0.95)),
    'longest frame, ms': Math.round(Math.max(...frames)),
  };
}

/** Types into a filter, a key each 60 ms; measures the time from a key to the next paint, as the browser reports it. */
async function type(page) {
  const field = page.getByLabel('Reference');
  await field.click();
  await page.evaluate(() => {
    globalThis.latencies = [];
    globalThis.observer?.disconnect();
    globalThis.observer = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === 'keydown') globalThis.latencies.push(duration);
    });
    globalThis.observer.observe({ type: 'event', durationThreshold: 16 });
  });
  const keys = 200;
  for (let at = 0; at < keys; at += 1) {
    await page.keyboard.press('a');
    await pause(60);
  }
  await pause(500);
  const slow = await page.evaluate(() => globalThis.latencies);
  // The browser reports only events of 16 ms or more.
  const all = [...slow, ...Array(Math.max(0, keys - slow.length)).fill(16)];
  await field.fill('');
  return {
    'key to paint p50, ms': Math.round(quantile(all, 0.5)),
    'key to paint p95, ms': Math.round(quantile(all, 0.95)),
    'worst key, ms': Math.round(Math.max(...all)),
  };
}

/** Changes buys while `work` runs: the newest ones, which are visible, and others. */
async function whileChanging(owner, organizationId, work) {
  let going = true;
  let changed = 0;
  const began = performance.now();
  const changing = (async () => {
    while (going) {
      await owner.query(
        `update media_buy set revision = coalesce(revision, 0) + 1 where id in
           (select id from media_buy where organization_id = $1 order by created_at desc limit 20 offset $2)`,
        [organizationId, (changed / 20) % 50],
      );
      changed += 20;
      const due = began + (changed / changesPerSecond) * 1000 - performance.now();
      if (due > 0) await pause(due);
    }
  })();
  let found;
  try {
    await pause(1_000);
    found = await work();
  } finally {
    going = false;
    await changing;
  }
  return { ...found, 'changes/s': Math.round(changed / ((performance.now() - began) / 1000)) };
}
