import { clean } from './name.js';

const lettersIn = (word: string): readonly string[] => Array.from(word);

/** The two letters of a name: of its first words, or its first two. */
function lettersOf(name: string): string {
  const [first = '?', second] = clean(name, 60)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const own = lettersIn(first);
  return (own[0] ?? '').concat((second === undefined ? own[1] : lettersIn(second)[0]) ?? '').toUpperCase();
}

/** A number from 0 to 7 that a name always has. */
const hueOf = (name: string): number =>
  lettersIn(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8_191, 7) % 8;

/** The monogram of a seller, client or person: round for people. The name stands beside it. */
export function Avatar({
  of,
  size = 27,
  isPerson = false,
}: {
  readonly of: string;
  /** In pixels. */
  readonly size?: number;
  readonly isPerson?: boolean;
}) {
  return (
    <span
      className={isPerson ? 'avatar round' : 'avatar'}
      data-hue={hueOf(of)}
      data-letters={lettersOf(of)}
      aria-hidden="true"
      style={{ width: size, height: size, fontSize: size * 0.4 }}
    />
  );
}
