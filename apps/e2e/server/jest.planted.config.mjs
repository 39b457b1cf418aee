import faults from './jest.faults.config.mjs';
import preset from '../../../jest.preset.mjs';

/** Faults that are planted into a copy of the built server, which the random acts must find. */
export default {
  ...faults,
  testMatch: ['<rootDir>/src/faults/planted-faults.spec.ts'],
  testPathIgnorePatterns: preset.testPathIgnorePatterns,
};
