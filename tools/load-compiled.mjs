/**
 * Runs a bundle of CommonJS with what V8 made of it at an earlier start: compiling is a quarter of what a start costs.
 * The builder puts this file beside the bundle. See docs/decisions/build-and-bundles.md.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

/** What the bundle exports. Its name has to change with its text: V8 compares no more of a text than its length. */
export function loadCompiled(url) {
  const path = fileURLToPath(url);
  const cache = `${path}.compiled`;
  // esbuild writes ASCII alone.
  const text = readFileSync(path, 'latin1');
  const script = new vm.Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
    filename: path,
    cachedData: read(cache),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  // V8 takes back only what the same V8 with the same options made.
  if (script.cachedDataRejected !== false) store(cache, script);
  return module.exports;
}

function read(cache) {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

/** For the next start, whole or not at all: V8 does not look for damage. Where nobody may write, all starts compile. */
function store(cache, script) {
  const draft = `${cache}.${process.pid}`;
  try {
    const file = openSync(draft, 'wx', 0o644);
    writeSync(file, script.createCachedData());
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, cache);
  } catch {
    // The program runs without it.
  }
}
