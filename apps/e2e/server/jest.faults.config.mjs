import preset from '../../../jest.preset.mjs';
import everything from './jest.config.mjs';

/** The ring of faults: what kills processes, stops databases, floods a server or runs several of them. */
export default {
  ...everything,
  testMatch: ['<rootDir>/src/faults/**/*.spec.ts'],
  testPathIgnorePatterns: preset.testPathIgnorePatterns,
};
