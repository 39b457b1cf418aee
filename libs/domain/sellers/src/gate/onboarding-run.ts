import { createHash } from 'node:crypto';
import type { ExpectedChallenge } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, type Instant, type JsonObject } from '@switchyard/values';
import type { runState, StoredCheck } from './check.js';

/** The newest results of the checks of one seller. */
export interface OnboardingRun {
  readonly connectionId: string;
  /** What was given to find it. */
  readonly input: string;
  readonly state: ReturnType<typeof runState>;
  readonly checks: readonly StoredCheck[];
  /** Of the results that an approval rests on. */
  readonly digest: string;
  /** UUID of a principal. */
  readonly startedBy: string;
  /** UUID of the request that another person decides. */
  readonly approvalId?: string;
  readonly updatedAt: Instant;
}

/** The port that `adapters/store` implements. */
export interface OnboardingRuns {
  find(scope: TenantScope, connectionId: string): Promise<OnboardingRun | undefined>;
  save(scope: TenantScope, run: OnboardingRun): Promise<void>;
  /** The first drafts by slug. */
  drafts(
    scope: TenantScope,
    most: number,
  ): Promise<readonly { readonly slug: string; readonly agentUrl: string; readonly run: OnboardingRun }[]>;
  /** Until then exactly this challenge of the seller is answered; the one before is forgotten. */
  expectChallenge(
    scope: TenantScope,
    connectionId: string,
    expected: ExpectedChallenge,
    until: Instant,
  ): Promise<void>;
  /** True if it is the expected one, and the first or the same again. `hash` is that of the challenge. */
  answerChallenge(
    scope: TenantScope,
    connectionId: string,
    came: { readonly hash: string; readonly keyid: string },
    isExpected: (expected: ExpectedChallenge) => boolean,
    at: Instant,
  ): Promise<boolean>;
  /** Id of the key that signed the answered challenge; undefined while none has come. */
  challengeAnsweredBy(scope: TenantScope, connectionId: string): Promise<string | undefined>;
  /** Tenants with a seller that was too slow, and whose next try is due. */
  tenantsToRetry(at: Instant): Promise<readonly string[]>;
  /** Takes one of them, which nobody else takes until then. */
  takeToRetry(scope: TenantScope, at: Instant, until: Instant): Promise<OnboardingRun | undefined>;
  /** Deletes a draft with its run. False if the seller is no draft. */
  discard(scope: TenantScope, connectionId: string): Promise<boolean>;
}

/** SHA-256 of what an approval rests on: the results up to the approval, without times and attempts. */
export function digestOf(checks: readonly StoredCheck[]): string {
  const judged = checks
    .filter(({ key }) => key !== 'approve' && key !== 'live')
    .map(({ key, state, code, inputsHash }): JsonObject => ({ key, state, code, inputsHash }));
  return createHash('sha256').update(canonicalJson(judged)).digest('hex');
}

/** The results after another person has approved them. */
export function approvedChecks(checks: readonly StoredCheck[], at: Instant): readonly StoredCheck[] {
  return checks.map((check): StoredCheck => {
    const { next: _, ...kept } = check;
    if (check.key === 'approve')
      return { ...kept, state: 'passed', code: 'approved', words: 'Another person has approved it.', at };
    return check.key === 'live'
      ? { ...kept, state: 'passed', code: 'live', words: 'It is live.', at }
      : check;
  });
}
