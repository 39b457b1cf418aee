import preset from '../../../jest.preset.mjs';

/** Two at a time: the longest spec mostly waits for a lease of ours to run out. */
export default { ...preset, rootDir: import.meta.dirname, maxWorkers: 2 };
