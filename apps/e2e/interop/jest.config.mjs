import preset from '../../../jest.preset.mjs';

/** Two at a time: some specs mostly wait, for a lease of ours to run out or for the runner to count what came. */
export default { ...preset, rootDir: import.meta.dirname, maxWorkers: 2 };
