import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Where the public SDK is looked for: the folder that `GRADER_FOLDER` names, in whose `node_modules` another
 * release of it may lie; without it, this workspace.
 */
export function requireOfSdk(): NodeJS.Require {
  const folder = process.env['GRADER_FOLDER'];
  return createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));
}
