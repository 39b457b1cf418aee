import { isJsonObject, type JsonObject } from '@switchyard/values';
import { inPublishedDialect } from './published-dialect.js';
import { envelopeFaults } from './published-dialect.js';
import type { PublishedSchemas, Spoken } from './published-schemas.js';
import { schemaPaths } from './schema-table.js';

/**
 * Faults of a refusal: each of its errors, and the fatal one, must be an error of the release, the envelope that of the
 * release, and the answer the error arm of its task if the release publishes one.
 */
export function refusalFaults(
  schemas: PublishedSchemas,
  { task, form }: { readonly task: string; readonly form: Spoken },
  answer: JsonObject,
): readonly string[] {
  if (form === 'service') return serviceFaults(answer);
  const spelled = inPublishedDialect(answer);
  if (!isJsonObject(spelled)) return ['it is no object'];
  const errors = Array.isArray(spelled['errors']) ? spelled['errors'] : [];
  const fatal = spelled['adcp_error'];
  const listed = [...errors, ...(fatal === undefined ? [] : [fatal])];
  const response = (schemaPaths[task] ?? [])
    .map((path) => schemas.faults(form, `${path}-response.json`, spelled))
    .find((verdict) => verdict !== undefined);
  return [
    ...(errors.length === 0 ? ['it has no errors'] : []),
    ...listed.flatMap((error) => schemas.faults(form, 'core/error.json', error) ?? []),
    ...(form === '2.5' ? [] : envelopeFaults(schemas, form, spelled)),
    ...(response ?? []).filter((fault) => !lacksSuccess.test(fault)),
  ];
}

/** Faults caused only by a success's members: reads have no arm for errors, as the text of their releases says. */
const lacksSuccess =
  /must have required property|must match (exactly one|some|a|"?(then|else)"?) schema|must NOT be valid/;

/** The `service` form has no schemas: its errors are checked here. */
function serviceFaults(answer: JsonObject): readonly string[] {
  const errors = Array.isArray(answer['errors']) ? answer['errors'] : [];
  return [
    ...(errors.length === 0 ? ['it has no errors'] : []),
    ...('adcp_error' in answer ? ['it speaks of the public dialect'] : []),
    ...errors.flatMap((error) => {
      if (!isJsonObject(error)) return ['an error is no object'];
      const { code, message, field, suggestion } = error;
      const isCode = typeof code === 'string' && /^[A-Za-z][A-Za-z_]*$/.test(code);
      return [
        ...(isCode ? [] : ['an error has no code']),
        ...(typeof message === 'string' && message !== '' ? [] : ['an error has no message']),
        ...([field, suggestion].every((text) => text === undefined || typeof text === 'string')
          ? []
          : ['field or suggestion is no text']),
      ];
    }),
  ];
}
