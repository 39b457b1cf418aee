import type { AssistantAct, AssistantActs } from '@switchyard/store';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { HttpFault } from '../http/http-answer.js';
import { systemIds } from '../ids.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { keyArgument, type Tool } from './toolsets.js';

/** What acts of assistants are kept in. */
export interface AskDeps {
  readonly acts: AssistantActs;
  readonly clock: Clock;
}

/** How long a person may take, and how long an act may be done afterwards, in milliseconds. */
const lastsMs = 3_600_000;
/** How long ended acts are kept, in milliseconds. */
const keptMs = 30 * 24 * 3_600_000;
const mostOpen = 50;

/**
 * The act under the key of the arguments: new and open, or as its person decided it. Only the person itself decides on what
 * its own program or token asks; what a service asks, anybody who holds the permission in all of the organization.
 */
export async function askPerson(
  { acts, clock }: AskDeps,
  caller: PrincipalCaller,
  { row }: Tool,
  { [keyArgument]: key, ...args }: JsonObject,
): Promise<Result<AssistantAct, HttpFault>> {
  if (typeof key !== 'string' || !/^[A-Za-z0-9_.:-]{16,255}$/.test(key)) return err(noKey);
  const now = clock.now();
  const text = JSON.stringify(args);
  if (text.length > longestArguments) return err(tooLong);
  const act = await acts.ask(
    caller,
    {
      actId: systemIds.uuid(),
      principalId: caller.principalId,
      key,
      route: row.id,
      arguments: text,
      createdAt: now,
      endsAt: now + lastsMs,
      ...(caller.principalKind === 'person' && { personId: caller.principalId }),
    },
    { mostOpen, forgetUntil: now - keptMs },
  );
  if (act === undefined) return err(tooMany);
  if (act.route !== row.id || act.arguments !== text) return err(otherAct);
  if (act.state === 'declined') return err(declined);
  return act.endsAt <= now ? err(ended) : ok(act);
}

const longestArguments = 64 * 1024;

const noKey: HttpFault = {
  code: 'INVALID_REQUEST',
  message: `${keyArgument} must have 16 to 255 characters of A-Z a-z 0-9 _ . : and -.`,
  field: keyArgument,
  suggestion: 'Send a new UUID for each act, and the same one again after it was confirmed.',
};
const tooLong: HttpFault = {
  code: 'PAYLOAD_TOO_LARGE',
  message: 'The arguments of an act are at most 64 KiB.',
};
const tooMany: HttpFault = {
  code: 'RATE_LIMITED',
  message: `${mostOpen} acts wait for a person: ask for no more before these are decided or over.`,
};
const otherAct: HttpFault = {
  code: 'IDEMPOTENCY_CONFLICT',
  message: 'This key belongs to an act with other arguments.',
  field: keyArgument,
  suggestion: 'Send a new key.',
};
const declined: HttpFault = {
  code: 'CONFLICT',
  message: 'A person declined this act: it is not done.',
  recovery: 'terminal',
};
const ended: HttpFault = {
  code: 'CONFLICT',
  message: 'The time to confirm and do this act, one hour, is over.',
  field: keyArgument,
  suggestion: 'If it is still wanted, call again with a new key.',
};
