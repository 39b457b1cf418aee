import preset from '../../../jest.preset.mjs';
import everything from './jest.config.mjs';

/** The ring of faults: what kills processes, stops databases, floods a server or runs several of them. */
export default {
  ...everything,
  testMatch: ['<rootDir>/src/faults/**/*.spec.ts'],
  // `npm run test:planted` alone: each fault takes hundreds of random acts to be found, and not always as many.
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, 'planted-faults\\.spec\\.ts$'],
};
