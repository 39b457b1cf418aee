import type { PublishedSchemas, Spoken } from './published-schemas.js';
import type { JsonValue } from '@switchyard/values';

/** The envelope of 2.5 and 3.0 requires a payload member, but its members are flat on the wire: it is ignored. */
export function envelopeFaults(schemas: PublishedSchemas, as: Spoken, message: unknown): readonly string[] {
  const received = schemas.faults(as, 'core/protocol-envelope.json', message) ?? [];
  return received.filter((fault) => !fault.includes("required property 'payload'"));
}

/** The published schemas use the names of the `adcp` dialect; the other dialect differs only in this segment. */
export function inPublishedDialect(message: unknown): JsonValue {
  const text = JSON.stringify(message);
  return JSON.parse(
    text.replace(/"ads(_version|_major_version|_use)?":/g, '"adcp$1":').replace(/"ads\//g, '"adcp/'),
  ) as JsonValue;
}
