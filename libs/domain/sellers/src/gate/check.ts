import type { Instant, JsonObject } from '@switchyard/values';

export type CheckState = 'waiting' | 'running' | 'passed' | 'failed' | 'skipped' | 'needs_person';

/** One thing that a seller does otherwise than its release says, in words that can be sent to it. */
export interface Finding {
  /** `blocks`: nobody can buy; `limits`: something does not work; `cosmetic`: nothing is lost. */
  readonly grade: 'blocks' | 'limits' | 'cosmetic';
  readonly task: string;
  readonly release: string;
  readonly sent: string;
  readonly came: string;
  readonly allowed: string;
  readonly cost: string;
  readonly mend: string;
}

/** What one check found. */
export interface CheckResult {
  readonly state: CheckState;
  readonly code: string;
  /** One sentence for an admin. */
  readonly words: string;
  /** What to do next, where something is to be done. */
  readonly next?: string;
  /** Excerpts, counts and times. Never a secret. */
  readonly evidence?: JsonObject;
  readonly findings?: readonly Finding[];
}

export const unopened: CheckResult = {
  state: 'failed',
  code: 'credential_unopened',
  words: 'Our credential for it cannot be opened now.',
  next: 'Try again.',
};

export interface StoredCheck extends CheckResult {
  /** Of a row of `sellerChecks`. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  /** Of what the result rests on: another value, and the check is run again. */
  readonly inputsHash: string;
  readonly at: Instant;
}

/** One check. Nothing else judges a seller. */
export interface Check<Context> {
  readonly key: string;
  /** It waits until these have passed or were skipped. */
  readonly needs: readonly string[];
  /** Milliseconds for which a result stands, if its inputs are unchanged. */
  readonly freshForMs: number;
  run(context: Context): Promise<CheckResult>;
}

export interface GateRun<Context> {
  readonly checks: readonly Check<Context>[];
  readonly context: Context;
  /** Results of an earlier run. */
  readonly stored: readonly StoredCheck[];
  /** Hash of address, protocol, credential version and whatever else results rest on; it may change while checks run. */
  inputsHash(): string;
  now(): Instant;
  /** Stores all results after each check, so that a crash loses one check at most. */
  save(checks: readonly StoredCheck[]): Promise<void>;
}

/** Of a protocol that did not answer: a seller that was down or slow may answer the next time. */
export const notSpoken = 'not_spoken';

const isDone = (state: CheckState | undefined): boolean => state === 'passed' || state === 'skipped';

/** How often a seller that does not answer in time is tried again by itself. */
const mostTries = 8;
/** Pause before the next try, in milliseconds. */
export const slowPauseMs = 20_000;

/** Whether a check waits for a seller that was too slow, and is tried again by itself. */
export const isTriedAgain = ({ state, code }: Pick<CheckResult, 'state' | 'code'>): boolean =>
  state === 'waiting' && code === 'slow';

/** A seller that did not answer in time is not refused at once: the first answer of many takes longer than the others. */
function patiently(result: CheckResult, before: CheckResult | undefined): CheckResult {
  if (result.state !== 'failed' || result.code !== 'slow') return result;
  const earlier = before !== undefined && isTriedAgain(before) ? before.evidence?.['tries'] : 0;
  const tries = (typeof earlier === 'number' ? earlier : 0) + 1;
  if (tries >= mostTries) return result;
  return {
    ...result,
    state: 'waiting',
    next: 'It is tried again by itself for some minutes.',
    evidence: { ...result.evidence, tries },
  };
}

/**
 * Goes through the checks in order and runs those whose earlier result does not stand: it is missing, did not pass, rests
 * on other inputs, or is too old. A check whose needs have not passed waits. Returns all results, in order.
 */
export async function runChecks<Context>(run: GateRun<Context>): Promise<readonly StoredCheck[]> {
  const results = new Map<string, StoredCheck>();
  for (const check of run.checks) {
    const before = run.stored.find(({ key }) => key === check.key);
    const inputsHash = run.inputsHash();
    const stands =
      before !== undefined &&
      isDone(before.state) &&
      before.code !== notSpoken &&
      before.inputsHash === inputsHash &&
      run.now() - before.at < check.freshForMs;
    if (stands) {
      results.set(check.key, before);
      continue;
    }
    const missing = check.needs.find((key) => !isDone(results.get(key)?.state));
    const attempt = (before?.attempt ?? 0) + (missing === undefined ? 1 : 0);
    const put = (result: CheckResult, hash: string) =>
      results.set(check.key, { key: check.key, attempt, inputsHash: hash, at: run.now(), ...result });
    if (missing !== undefined) {
      put({ state: 'waiting', code: 'waits', words: `It waits for the check ${missing}.` }, inputsHash);
      continue;
    }
    put({ state: 'running', code: 'runs', words: 'It is running.' }, inputsHash);
    await run.save([...results.values()]);
    const result = patiently(await check.run(run.context), before);
    // A check may change what later ones rest on, for example the protocol.
    put(result, run.inputsHash());
    await run.save([...results.values()]);
  }
  const all = [...results.values()];
  await run.save(all);
  return all;
}

/** What has become of the whole run: its first check that has not passed decides. */
export function runState(checks: readonly StoredCheck[]): 'live' | 'waiting' | 'needs_person' | 'failed' {
  const open = checks.find(({ state }) => !isDone(state));
  if (open === undefined) return 'live';
  if (open.state === 'failed') return 'failed';
  return open.state === 'needs_person' ? 'needs_person' : 'waiting';
}
