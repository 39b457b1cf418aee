import type { AdminFailure } from '../platform/failure.js';

export const noBreak: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'No difference has this id.',
  field: 'id',
};
