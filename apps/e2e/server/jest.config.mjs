import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  rootDir: import.meta.dirname,
  setupFilesAfterEnv: ['<rootDir>/src/harness/watch-the-wire.ts'],
};
