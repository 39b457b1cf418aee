import preset from '../../../jest.preset.mjs';

/** Two at a time: some specs mostly wait, for the end of a lease or for the runner's count of webhooks. */
export default { ...preset, rootDir: import.meta.dirname, maxWorkers: 2 };
