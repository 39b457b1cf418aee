import preset from '../../jest.preset.mjs';

const [[, [compiler, options]]] = Object.entries(preset.transform);
const jsc = {
  ...options.jsc,
  parser: { syntax: 'typescript', tsx: true, decorators: true },
  transform: { ...options.jsc.transform, react: { runtime: 'automatic' } },
};

/** What a spec imports of the pages may hold elements, in files that end with `.tsx`. */
export default {
  ...preset,
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.tsx?$': [compiler, { ...options, jsc }] },
};
