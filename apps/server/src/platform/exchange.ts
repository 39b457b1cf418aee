import type { z } from 'zod';

/** Messages between processes; what is sent while nobody can be reached is lost. The sender gets its own as well. */
export interface Exchange {
  publish(topic: string, text: string): void;
  subscribe(topic: string, take: (text: string) => void): void;
}

/** Longest message that is read, in characters. */
const mostText = 1_000_000;

/** A message of a topic, read; undefined if it is none of this version. */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.output<Schema> | undefined {
  if (text.length > mostText) return undefined;
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
