import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { exampleAnswer, valuesOf } from '../../platform/routes/example-answer.js';
import { adminRoutes } from '../routes.js';

/** One operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
  readonly security: readonly JsonObject[];
  /** The permission that it needs. */
  readonly 'x-permission'?: string;
}

/** Schemas with a name of their own (`.meta({ id })`), such as the rows of declared lists, as they were met. */
const declared: Record<string, JsonObject> = {};

export const declaredSchemas = (): JsonObject => ({ ...declared });

function made(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, {
    io,
    // The bounds of every whole number of JavaScript say nothing about the member.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}

function withReferences(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text.replaceAll(/(components\/schemas\/)__schema\d+/g, `$1${anyJson}`)) as JsonObject;
}

/** The name of `z.json()`, which zod numbers anew in each schema that holds it. */
const anyJson = 'json_value';

/** A schema of zod as JSON Schema. Where it has a name, or something in it has one, that is a reference. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _dialect, $defs: inner = {}, id, ...rest } = made(schema, io);
  const whole = withReferences(rest as JsonObject);
  for (const [name, one] of Object.entries(inner))
    declare(name.replace(/^__schema\d+$/, anyJson), withReferences(one as JsonObject));
  return typeof id === 'string' ? declare(id, whole) : whole;
}

function declare(name: string, { id: _name, ...schema }: JsonObject): JsonObject {
  const known = declared[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas of the document are called ${name}, or it differs in requests and answers.`);
  declared[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

const writtenValues = valuesOf(adminRoutes.map(({ example }) => example));

/** A schema as the content of a body, with an example. */
export function withExample(schema: JsonObject, example?: JsonObject): JsonObject {
  return { schema, example: example ?? exampleAnswer(schema, writtenValues, '', declared) };
}

export function jsonBody(schema: JsonObject, example?: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': withExample(schema, example) } };
}
