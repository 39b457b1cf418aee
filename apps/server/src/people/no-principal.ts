import type { AdminFailure } from '../platform/failure.js';

export function noPrincipalCalled(name: string): AdminFailure {
  return { code: 'NOT_FOUND', message: `There is no principal called ${name}.`, field: 'principal' };
}
