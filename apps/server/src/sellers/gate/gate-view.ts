import { checkKeys, isCheckKey, type StoredCheck } from '@switchyard/sellers';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { z } from 'zod';

export const checkView = z.strictObject({
  key: z.enum(checkKeys),
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'skipped', 'needs_person']),
  code: z.string(),
  words: z.string().describe('One sentence for an admin.'),
  next: z.string().exactOptional().describe('What to do next.'),
  options: z
    .array(z.strictObject({ value: z.string(), name: z.string() }))
    .exactOptional()
    .describe(
      'What a person may choose where the check waits for a choice: an agent, an authorization server, an account.',
    ),
});

/** A seller with its checks. */
export interface GateView {
  readonly slug: string;
  readonly state: 'live' | 'waiting' | 'needs_person' | 'failed';
  readonly checks: readonly (Pick<StoredCheck, 'key' | 'state' | 'code' | 'words'> & {
    readonly next?: string;
    readonly evidence?: JsonObject;
  })[];
  /** UUID of who added it. */
  readonly startedBy?: string;
  /** Where the person who asked consents at the seller's authorization server. */
  readonly authorizeUrl?: string;
}

export const gateState = z
  .enum(['live', 'waiting', 'needs_person', 'failed'])
  .describe(
    'waiting: another person must approve it. needs_person: its checks wait for a choice or a credential.',
  );

/** The checks as an answer: of their evidence only what a person may choose; the rest is in the report. */
export function checksView(checks: GateView['checks']): readonly z.output<typeof checkView>[] {
  return checks.flatMap(({ key, state, code, words, next, evidence = {} }) => {
    if (!isCheckKey(key)) return [];
    const options = state === 'needs_person' ? optionsIn(evidence) : [];
    return [
      {
        ...{ key, state, code, words },
        ...(next === undefined ? {} : { next }),
        ...(options.length === 0 ? {} : { options }),
      },
    ];
  });
}

/** What a check has found that a person may choose from. */
function optionsIn({ candidates, issuers, issuer, accounts }: JsonObject) {
  const found = [candidates, issuers, accounts].find(Array.isArray) ?? [issuer];
  return found.flatMap((one) => {
    if (typeof one === 'string') return [{ value: one, name: one }];
    if (!isJsonObject(one) || typeof one['account_id'] !== 'string') return [];
    const { account_id: value, name } = one;
    return [{ value, name: typeof name === 'string' && name !== '' ? name : value }];
  });
}
