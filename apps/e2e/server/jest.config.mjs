import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  rootDir: import.meta.dirname,
  setupFilesAfterEnv: ['<rootDir>/src/harness/watch-the-wire.ts'],
  // Kills, outages, floods and replicas: `npm run test:faults` runs them, by jest.faults.config.mjs.
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, '<rootDir>/src/faults/'],
};
