import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';

/** The JSON Schema (2020-12) of a task's arguments, with every member of every form. It is built once. */
export function inputSchemaOf(schema: z.ZodType): () => JsonObject {
  let made: JsonObject | undefined;
  return () => {
    made ??= z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as unknown as JsonObject;
    return made;
  };
}
