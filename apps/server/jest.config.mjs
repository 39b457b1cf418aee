import preset from '../../jest.preset.mjs';

export default {
  ...preset,
  rootDir: import.meta.dirname,
  setupFilesAfterEnv: ['<rootDir>/src/passages/spec-watch-wire.ts'],
};
