import type { Form } from '../voice.js';

/** The states that are meant by a filter in any form: a word of the older ones stands for several of 3.x, as in answers. */
export function statusesOf(
  filter: string | readonly string[] | undefined,
  form: Form,
): readonly string[] | undefined {
  if (filter === undefined) return undefined;
  const words = typeof filter === 'string' ? [filter] : filter;
  const older = olderWords[form] ?? {};
  return words.flatMap((word) => (Object.hasOwn(older, word) ? (older[word] ?? word) : word));
}

const pending = ['pending_creatives', 'pending_start'];

const olderWords: Partial<Record<Form, Readonly<Record<string, readonly string[]>>>> = {
  service: { pending },
  '2.5': { pending, pending_activation: pending, completed: ['completed', 'rejected', 'canceled'] },
};
