import type { JsonObject, JsonValue } from '@switchyard/values';
import fc from 'fast-check';

/** Returns a generator of numbers in [0, 1), always the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a text that the schema allows, unique for each number if the schema leaves room for that. */
export function textOf(schema: JsonObject, number: number): string {
  const least = Number(schema['minLength'] ?? 0);
  const most = Number(schema['maxLength'] ?? 1_000);
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : undefined;
  const fits = (text: string): boolean =>
    text.length >= least && text.length <= most && (pattern === undefined || pattern.test(text));
  const words = ['USD', 'EUR', 'GBP'];
  const plain = [
    formatted(schema['format'], number),
    // Readers require keys that cannot be guessed, and days and currencies that exist.
    least >= 16 ? formatted('uuid', number) : undefined,
    // Mixed case, to detect a change of case.
    `Xy${number}`.padEnd(least, 'x'),
    `x${number}`.padEnd(least, 'x'),
    formatted('date', number),
    words[number % words.length],
    `${number}`,
  ];
  const found = plain.find((text): text is string => text !== undefined && fits(text));
  if (found !== undefined) return found;
  const tries = textsOf(pattern?.source ?? '^[a-z]{1,3}$');
  const fitting = tries.filter(fits);
  return fitting[number % fitting.length] ?? tries[0] ?? '';
}

const known = new Map<string, readonly string[]>();

/** Texts that match a pattern, cached because generating them takes most of the time of a message. */
function textsOf(pattern: string): readonly string[] {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  // The generator does not support lookaheads, so its texts are checked against the whole pattern.
  const simple = new RegExp(pattern.replace(/\(\?[=!][^()]*\)/g, ''), 'u');
  const texts = [...new Set(fc.sample(fc.stringMatching(simple), { numRuns: 400, seed: 7 }))];
  known.set(pattern, texts);
  return texts;
}

function formatted(format: JsonValue | undefined, number: number): string | undefined {
  switch (format) {
    case 'date-time':
      return momentOf(number);
    case 'date':
      return new Date(Date.UTC(2027, 0, 1) + number * 86_400_000).toISOString().slice(0, 10);
    case 'uri':
    case 'uri-template':
      return `https://h${number}.example/p`;
    case 'email':
      return `p${number}@mail.example`;
    case 'hostname':
      return `h${number}.example`;
    case 'uuid':
      return `7c9e6679-7425-40de-944b-${String(number).padStart(12, 'e07fc1f90ae7')}`;
    default:
      return undefined;
  }
}

/** Times in all spellings: with seconds, with fractions, and with a UTC offset. */
function momentOf(number: number): string {
  const at = new Date(Date.UTC(2027, 0, 1) + number * 61_000).toISOString();
  if (number % 3 === 1) return at.replace('.000Z', '.250Z');
  return at.replace('.000Z', number % 3 === 2 ? '+02:00' : 'Z');
}

/** Returns a number that the schema allows, unique if there is room. */
export function numberOf(schema: JsonObject, number: number, isWhole: boolean, mayBeFine = false): number {
  const step = Number(schema['multipleOf'] ?? (isWhole ? 1 : 0.25));
  const bottom = Number(schema['minimum'] ?? 0);
  const least = Math.max(bottom, Number(schema['exclusiveMinimum'] ?? bottom - step) + step);
  const ceiling = Number(schema['maximum'] ?? 1e9);
  const most = Math.min(ceiling, Number(schema['exclusiveMaximum'] ?? ceiling + step) - step);
  const wanted = 1_000 + number * (isWhole ? 1 : 1.25);
  if (wanted >= least && wanted <= most) {
    const round = Math.round(wanted / step) * step;
    // Some numbers are finer than a millionth, which is the unit of amounts.
    const isFine = mayBeFine && schema['multipleOf'] === undefined && number % 4 === 1 && round + 1 <= most;
    return isFine ? round + 0.000_012_5 : round;
  }
  const room = Math.floor((most - least) / step) + 1;
  return least + (number % Math.max(room, 1)) * step;
}
