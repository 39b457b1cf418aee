import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { timed } from './processor-time.mjs';

/**
 * Runs spec files by jest-circus, Jest's own runner, with one module graph per process instead of one per file: Jest
 * evaluates every module again for each spec file, which is most of the cost of a suite. The realm and the runtime of a
 * package's first file also serve the later files. Each file is still collected, run and reported separately.
 *
 * Shared between files are the state of modules and what a spec sets on `globalThis`. Not shared: the spec's own
 * module, `setupFilesAfterEnv`, `process.env`, and the state of a file in jest-circus.
 */
const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');
const framework = join(dirname(require.resolve('jest-circus/runner')), 'jestAdapterInit.js');

/** The first file of each package in this process. */
const first = new Map();
const fileOf = new AsyncLocalStorage();
let files = 0;
let current;

function open(environment, runtime) {
  runtime.requireInternalModule(framework);
  const { global } = environment;
  const stateKey = Object.getOwnPropertySymbols(global).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const handlers = global[Symbol.for('EVENT_HANDLERS')];
  // Names from inside jest-circus: an upgrade that changes them must fail here instead of sharing nothing.
  if (stateKey === undefined || typeof handlers?.[0] !== 'function')
    throw new Error('jest-circus stores its state elsewhere now: adapt tools/jest/shared-graph.mjs.');
  const [handle, ...others] = handlers;
  runtime.teardown = () => {};
  environment.teardown = () => Promise.resolve();
  const sourceMaps = runtime.getSourceMaps();
  const shared = {
    environment,
    runtime,
    stateKey,
    state: { ...global[stateKey] },
    handlers: [(event, state) => (isLate(event) ? undefined : handle(event, state)), ...others],
    env: { ...global.process.env },
    sourceMaps,
    sourceMapsOfFile: sourceMaps,
  };
  sourceMaps.set = (file, map) => {
    if (shared.sourceMapsOfFile !== sourceMaps) shared.sourceMapsOfFile.set(file, map);
    return Map.prototype.set.call(sourceMaps, file, map);
  };
  return shared;
}

/** Resets the state of jest-circus to that before the first file; imported `it` and `expect` stay valid. */
function reset({ environment: { global }, runtime, stateKey, state, handlers, env }, testPath) {
  const empty = { Map: () => new Map(), WeakMap: () => new WeakMap(), Array: () => [] };
  const fresh = Object.entries(state).map(([name, value]) => {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    return [name, empty[kind]?.() ?? value];
  });
  const root = { ...state.rootDescribeBlock, children: [], hooks: [], tests: [] };
  global[stateKey] = { ...Object.fromEntries(fresh), currentDescribeBlock: root, rootDescribeBlock: root };
  global[Symbol.for('EVENT_HANDLERS')].splice(0, Infinity, ...handlers);
  for (const name of Object.keys(global.process.env)) if (!(name in env)) delete global.process.env[name];
  Object.assign(global.process.env, env);
  // A spec is not imported, so its module can be freed.
  runtime.registries?.getActiveEsmRegistry?.().delete(testPath);
}

/** An error of a file that was already reported must not fail another one, and must not be lost: `.ci/run` fails on it. */
function tellLateError(error) {
  const file = fileOf.getStore() ?? 'unknown, it ran in this process before this line';
  process.stderr.write(`late error, after the suite that caused it (${file}): ${error?.stack ?? error}\n`);
}

function isLate(event) {
  const file = fileOf.getStore();
  if (event.name !== 'error' || file === undefined || file === current) return false;
  tellLateError(event.error);
  return true;
}

// Between two files an error would end the process. While one runs, jest-circus replaces these handlers.
process.on('uncaughtException', tellLateError);
process.on('unhandledRejection', tellLateError);

/** Longer than any spec file takes, even on a slow machine: 25 minutes, in milliseconds. */
const hangsAfterMs = 25 * 60_000;

/** Each test has its own limit, but loading a file has none. A hanging run prints nothing: end it. */
function giveUp(testPath) {
  const open = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`${testPath} hangs. Open: ${open}\n`);
  process.exit(1);
}

/** The runtime of the first file, for a new file: the setup files around every file are evaluated for each. */
function runtimeFor({ runtime }, config, file) {
  const around = new Set(config.setupFilesAfterEnv);
  const importModule = (from) =>
    runtime.unstable_importModule(from, around.has(from) ? `${from}?file=${file}` : undefined);
  return new Proxy(runtime, {
    get(target, name) {
      if (name === 'unstable_importModule') return importModule;
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

export default async function runOnSharedGraph(
  globalConfig,
  config,
  environment,
  runtime,
  testPath,
  ...others
) {
  const shared = first.get(config.id) ?? open(environment, runtime);
  first.set(config.id, shared);
  shared.environment.global.console = environment.global.console;
  shared.sourceMapsOfFile = runtime.getSourceMaps();
  for (const [file, map] of shared.sourceMaps) shared.sourceMapsOfFile.set(file, map);
  reset(shared, testPath);
  // As for the first file: its code may import a module for the first time while it is loaded.
  shared.runtime.enterTestCode();
  files += 1;
  current = testPath;
  const tellTime = timed(testPath);
  const patience = setTimeout(giveUp, hangsAfterMs, testPath);
  try {
    return await fileOf.run(testPath, () =>
      circus(
        globalConfig,
        config,
        shared.environment,
        runtimeFor(shared, config, files),
        testPath,
        ...others,
      ),
    );
  } finally {
    clearTimeout(patience);
    tellTime();
    current = undefined;
    reset(shared, testPath);
  }
}
