import { err, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../../errors/task-error.js';
import type { TaskError } from '../../../errors/task-fault.js';
import { notExpressible, type Finding } from '../../../losses/finding.js';
import { objectAt, without } from '../../../message/pick.js';
import {
  readShape,
  accountRefShape,
  anyObject,
  idText,
  inputSchemaOf,
  pushShape,
} from '../../../message/shapes.js';
import { lifecycleMember } from '../../lifecycle-task.js';
import { same } from './keep.js';

/** Members of every task here. The lists of members are closed in the release: another one is refused. */
const envelope = {
  adcp_version: idText.optional(),
  adcp_major_version: z.int().optional(),
  ads_version: idText.optional(),
  ads_major_version: z.int().optional(),
  idempotency_key: idText.optional(),
  context_id: idText.optional(),
  context: anyObject.optional(),
  governance_context: z.string().max(4_096).optional(),
  push_notification_config: pushShape.optional(),
  account: accountRefShape.optional(),
  brand: anyObject.optional(),
  ext: anyObject.optional(),
};

const carried = [
  ...[
    'adcp_version',
    'adcp_major_version',
    'ads_version',
    'ads_major_version',
    'idempotency_key',
    'context_id',
  ],
  ...['context', 'governance_context', 'push_notification_config', 'account', 'ext'],
];

/** The schema of the arguments of a task, for lists of tools: closed, as the release has it. */
export function inputOf(
  shape: Readonly<Record<string, z.ZodType>>,
  required: readonly string[],
): () => JsonObject {
  const schema = inputSchemaOf(z.strictObject({ ...envelope, ...shape }));
  return () => (required.length === 0 ? schema() : { ...schema(), required: [...required] });
}

/** Reads the arguments by the members of a task; all others are refused. */
export function readArgs(
  shape: Readonly<Record<string, z.ZodType>>,
  args: JsonObject,
): Result<JsonObject, readonly TaskError[]> {
  const known = { ...envelope, ...shape };
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    return err(
      unknown.map((field) =>
        taskError('INVALID_REQUEST', 'This task has no such member.', {
          field,
          suggestion: 'Leave it out, or use the task that has it.',
        }),
      ),
    );
  const checked = readShape(z.looseObject(known), args);
  if (!checked.ok) return checked;
  const parts = accountParts.filter((name) => objectAt(args, 'account')?.[name] !== undefined);
  return parts.length > 0 ? err(parts.map(accountPart)) : ok(args);
}

/** Parts of a natural key by which accounts are told apart. Ours are pairs, so none of them may be ignored. */
const accountParts = ['operator_unit', 'currency', 'timezone'];

function accountPart(name: string): TaskError {
  return notExpressible(
    `account.${name}`,
    'Accounts here are pairs of a brand and an operator, without a part like this.',
    'Leave it out, or name the account by its account_id.',
  );
}

/** Members around a request that the older task has under the same names. */
export function envelopeOf(args: JsonObject): JsonObject {
  return same(args, carried);
}

/** The same for a search, which has no key of its own. */
export function searchEnvelopeOf(args: JsonObject): JsonObject {
  return without(envelopeOf(args), ['idempotency_key']);
}

/** The advertiser: named beside the account, or in it. */
export function brandOf(args: JsonObject): JsonObject {
  const brand = objectAt(args, 'brand') ?? objectAt(objectAt(args, 'account'), 'brand');
  return brand === undefined ? {} : { brand };
}

/** What the answer of a call needs later, beside the arguments of the older task. */
export function noted(
  task: string,
  notes: Readonly<Record<string, JsonValue | undefined>>,
  findings: readonly Finding[] = [],
): JsonObject {
  const given = Object.entries(notes).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  const shown = findings.map((finding): JsonObject => ({ ...finding }));
  return {
    [lifecycleMember]: {
      task,
      ...Object.fromEntries(given),
      ...(shown.length === 0 ? {} : { findings: shown }),
    },
  };
}

/** The findings that `noted` keeps. */
export function notedFindings(asked: JsonObject): readonly Finding[] {
  const { findings } = asked;
  return Array.isArray(findings) ? (findings as unknown as readonly Finding[]) : [];
}
