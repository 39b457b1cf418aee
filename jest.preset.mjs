import { existsSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';

// Each suite copies the folder of a database, about 2,000 files, which takes 1.5 s of a core on a disk and 0.1 s in memory.
const memory = '/dev/shm';
const neededBytes = 6 * 2 ** 30;
const hasRoom = () => {
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > neededBytes;
};
if (process.env.TMPDIR === undefined && existsSync(memory) && hasRoom()) process.env.TMPDIR = memory;

/**
 * One preset for every package: native ESM through SWC, decorator metadata kept for Nest. A package's specs run in one
 * process, on one module graph. What grows too large for that is run in parts (`test-part-1` and so on in its
 * package.json), each a process of its own. Recycling workers by memory would do the same, but a run has been seen to
 * stand still after it: the worker is told to end while its next file is already on the way.
 */
export default {
  testSequencer: fileURLToPath(new URL('./tools/jest/longest-first.mjs', import.meta.url)),
  testRunner: fileURLToPath(new URL('./tools/jest/shared-graph.mjs', import.meta.url)),
  reporters: ['default', fileURLToPath(new URL('./tools/jest/end-of-run.mjs', import.meta.url))],
  testEnvironment: fileURLToPath(new URL('./tools/jest/plain-context.mjs', import.meta.url)),
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^fast-check$': fileURLToPath(new URL('./tools/jest/seeded-fast-check.mjs', import.meta.url)),
  },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.redis\\.spec\\.ts$'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        sourceMaps: 'inline',
      },
    ],
  },
  // A net under a test that hangs, and no limit that a slow machine comes near.
  testTimeout: 600_000,
  maxWorkers: 1,
  passWithNoTests: true,
};
