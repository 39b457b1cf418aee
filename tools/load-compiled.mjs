/**
 * Runs a CommonJS bundle with V8's compiled code of an earlier start: compiling is a quarter of the cost of a start.
 * The builder puts this file beside the bundle. See docs/decisions/build-and-bundles.md.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

/** The exports of the bundle. Its name must change with its text: V8 compares only the length of the text. */
export function loadCompiled(url) {
  const path = fileURLToPath(url);
  const cache = `${path}.compiled`;
  // The builder writes only ASCII.
  const text = readFileSync(path, 'latin1');
  const script = new vm.Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
    filename: path,
    cachedData: read(cache),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  // V8 accepts only the code of the same V8 with the same options.
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

/** Written atomically for the next start: V8 does not check for damage. In a read-only folder all starts compile. */
function store(cache, script) {
  const draft = `${cache}.${process.pid}`;
  try {
    const file = openSync(draft, 'wx', 0o644);
    writeSync(file, script.createCachedData());
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, cache);
  } catch {
    // The program also runs without it.
  }
}
