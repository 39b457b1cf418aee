import { z } from 'zod';
import { approvalStates, type ApprovalFilter } from '../../application/approvals.js';
import { limitText } from './query-text.js';

/** The requests of the routes about approvals. */
export const approvalsQuerySchema = z.strictObject({
  state: z.enum(approvalStates).optional(),
  seller: z.string().min(1).max(63).optional(),
  limit: limitText(999).optional(),
});

export const answerSchema = z.strictObject({
  answer: z.looseObject({}).describe('Members of the request that answer what the seller asks for.'),
});

export const dismissApprovalSchema = z.strictObject({
  reason: z.string().min(1).max(500).describe('Why nobody has to answer it here.'),
});

export function approvalFilter({
  state,
  seller,
  limit,
}: z.infer<typeof approvalsQuerySchema>): ApprovalFilter {
  return {
    ...(state === undefined ? {} : { state }),
    ...(seller === undefined ? {} : { seller }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
}
