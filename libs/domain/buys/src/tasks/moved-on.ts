import type { Operation, OperationMove } from '../model/operation.js';

/** The history of an operation once it is stored as `after`: extended where its status changed. */
export function movedOn(before: Operation, after: Operation): readonly OperationMove[] {
  const known = before.history ?? [];
  return after.status === before.status ? known : [...known, { status: after.status, at: after.updatedAt }];
}
