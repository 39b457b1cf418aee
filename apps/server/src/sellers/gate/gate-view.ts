import { checkKeys, type StoredCheck } from '@switchyard/sellers';
import { z } from 'zod';

export const checkView = z.strictObject({
  key: z.enum(checkKeys),
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'skipped', 'needs_person']),
  code: z.string(),
  words: z.string().describe('One sentence for an admin.'),
  next: z.string().exactOptional().describe('What to do next.'),
});

/** A seller with its checks. */
export interface GateView {
  readonly slug: string;
  readonly state: 'live' | 'waiting' | 'needs_person' | 'failed';
  readonly checks: readonly (Pick<StoredCheck, 'key' | 'state' | 'code' | 'words'> & {
    readonly next?: string;
  })[];
  /** Where the person who asked consents at the seller's authorization server. */
  readonly authorizeUrl?: string;
}

export const gateState = z
  .enum(['live', 'waiting', 'needs_person', 'failed'])
  .describe(
    'waiting: another person must approve it. needs_person: its checks wait for a choice or a credential.',
  );

/** The checks as an answer: without evidence, which is in the report. */
export function checksView(checks: GateView['checks']): readonly z.output<typeof checkView>[] {
  return checks.map(({ key, state, code, words, next }) => ({
    key,
    state,
    code,
    words,
    ...(next === undefined ? {} : { next }),
  }));
}
