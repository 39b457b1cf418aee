import { z } from 'zod';
import type { CustodyAsk, DelegationAsk } from '../../application/delegations-admin.js';
import { limitText } from './query-text.js';

const id = z.string().min(1).max(63);

/** The requests of the routes about delegations and custody. */
export const delegationSchema = z.strictObject({
  principal_id: id,
  seller: id,
  tasks: z.array(z.string().min(1).max(100)).min(1).max(50),
  until: z.string().max(40).describe('RFC 3339: a date, or a time with its offset.'),
  budget: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,6})?$/, 'has to be a decimal')
    .optional()
    .describe('Caps the sum of all buys under it.'),
  currency: z.string().length(3).optional(),
  evidence: z.string().min(1).max(1000).optional().describe('What shows an admin that the brand wants it.'),
});

export const ofPrincipalSchema = z.strictObject({ principal_id: id.optional() });

export const revokeSchema = z.strictObject({ reason: z.string().min(1).max(1000).optional() });

export const custodyQuerySchema = z.strictObject({
  principal_id: id.optional(),
  seller: id.optional(),
  outcome: z.enum(['refused', 'unreachable', 'unknown', 'answered']).optional(),
  limit: limitText(9999).optional(),
});

export function delegationAsk(row: z.infer<typeof delegationSchema>): DelegationAsk {
  const { principal_id: principalId, seller, tasks, until, budget, currency, evidence } = row;
  return {
    principalId,
    seller,
    tasks,
    until,
    ...(budget === undefined ? {} : { budget }),
    ...(currency === undefined ? {} : { currency }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

export function custodyAsk(query: z.infer<typeof custodyQuerySchema>): CustodyAsk {
  const { principal_id: principalId, seller, outcome, limit } = query;
  return {
    ...(principalId === undefined ? {} : { principalId }),
    ...(seller === undefined ? {} : { seller }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
}
