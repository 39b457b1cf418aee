import { z } from 'zod';
import { type JsonObject, err, isJsonObject, ok, sanitizeKeyName, type Result } from '@switchyard/values';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import { requirementOf } from './requirement.js';

/*
 * Schemas that several tasks share. Every object is loose: members that we do not know are tolerated on every task.
 * A schema is the union of what the forms send; what one form alone requires is checked where that form is read.
 */

export const text = z.string().min(1).max(20_000);
export const idText = z.string().min(1).max(1_000);
export const anyObject = z.looseObject({});

/** An ISO 3166-1 alpha-2 country code, as in every release. */
export const countryCode = /^[A-Z]{2}$/;

export const formatIdShape = z.looseObject({ agent_url: idText, id: idText });

export const brandShape = z.looseObject({
  domain: idText.optional().describe('Domain of the advertiser.'),
  brand_id: idText.optional(),
  industries: z.array(z.unknown()).max(1_000).optional(),
  data_subject_contestation: anyObject.optional(),
  brand_kit_override: anyObject.optional(),
});

export const manifestShape = z.union([idText, anyObject]);

const accountIdShape = z.looseObject({ account_id: idText });
const accountPairShape = z.looseObject({
  brand: brandShape,
  operator: idText,
  sandbox: z.boolean().optional(),
});

/** Exactly one of the two: with both, nobody can say whose account is meant. */
export const accountRefShape = z
  .union([accountIdShape, accountPairShape])
  .refine((named) => !('account_id' in named) || !('brand' in named || 'operator' in named), {
    message: 'either an account_id or a pair of brand and operator',
  });

export const pushShape = z.looseObject({
  url: z.string().min(1).max(4_096),
  operation_id: z.string().min(1).max(255).optional(),
  token: z.string().min(16).max(4_096).optional(),
  authentication: z
    .looseObject({ schemes: z.array(idText).max(8), credentials: z.string().max(8_192) })
    .optional(),
});

/** Where to send reports of a buy. The frequency is a closed list in every release that has it. */
export const reportingShape = z.looseObject({
  ...pushShape.shape,
  reporting_frequency: z.enum(['hourly', 'daily', 'monthly']).optional(),
  requested_metrics: z.array(idText).max(200).optional(),
});

export const deploymentTargetShape = z.union([
  z.looseObject({ type: z.literal('platform'), platform: idText, account: idText.optional() }),
  z.looseObject({ type: z.literal('agent'), agent_url: idText, account: idText.optional() }),
]);

export const paginationShape = z.looseObject({
  max_results: z.int().min(1).max(100).optional(),
  cursor: z.string().max(20_000).optional(),
});

/** Optional members of every task, with the version fields of both dialects. */
export const extras = {
  ads_version: z.string().max(64).optional(),
  ads_major_version: z.int().optional(),
  adcp_version: z.string().max(64).optional(),
  adcp_major_version: z.int().optional(),
  account: accountRefShape.optional(),
  idempotency_key: z.string().min(1).max(255).optional(),
  context: anyObject.optional().describe('Opaque: comes back verbatim.'),
  context_id: z.string().max(1_000).optional(),
  governance_context: z.string().max(4_096).optional(),
  push_notification_config: pushShape.optional(),
  ext: anyObject.optional(),
};

/** The JSON Schema (2020-12) of a task's arguments, with every member of every form. It is built once. */
export function inputSchemaOf(schema: z.ZodType): () => JsonObject {
  let made: JsonObject | undefined;
  return () => {
    made ??= z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as unknown as JsonObject;
    return made;
  };
}

const maxErrors = 20;

/**
 * Validates a message. The result is the message itself, typed: schemas validate and never transform, so that unknown
 * members are not lost.
 */
export function readShape<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonObject,
): Result<z.infer<Schema>, readonly TaskError[]> {
  const verdict = schema.safeParse(value);
  if (verdict.success) return ok(value as z.infer<Schema>);
  return err(verdict.error.issues.slice(0, maxErrors).map((issue) => errorOf(issue, value)));
}

/** `['packages', 0, 'budget']` as `packages[0].budget`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${sanitizeKeyName(String(step))}`;
  }
  return text;
}

function errorOf(issue: z.core.$ZodIssue, value: JsonObject): TaskError {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath([...issue.path, ...issue.keys.slice(0, 1)]);
    return shapeError(
      field,
      `${field} is nothing that is known here.`,
      'Leave it out, or look at its spelling.',
    );
  }
  const field = fieldPath(issue.path);
  const name = field === '' ? 'The arguments' : field;
  const given = valueAt(value, issue.path);
  if (given === undefined)
    return shapeError(field, `${name} is required.`, `Add ${name}: ${requirementOf(issue)}.`);
  return shapeError(
    field,
    `${name} is not ${requirementOf(issue)}.`,
    `Send ${requirementOf(issue)} as ${name}.`,
  );
}

function shapeError(field: string, message: string, suggestion: string): TaskError {
  // Any fault of the key is an invalid request: without a key, requests cannot be distinguished.
  const code = field === 'idempotency_key' ? 'INVALID_REQUEST' : 'VALIDATION_ERROR';
  return taskError(code, message, { ...(field === '' ? {} : { field }), suggestion });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step];
    else if (isJsonObject(here) && typeof step === 'string' && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}
