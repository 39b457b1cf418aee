/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case. Only values in quotes or tokens; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, { readonly value: string; readonly isQuoted: boolean }>;
}

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+/i;
const longest = 8_192;

/**
 * Reads the challenges of one header: several schemes may stand in it, and parameters of one follow each other with
 * commas as well. What cannot be read ends the reading; what was read before it counts.
 */
export function readChallenges(header: string): readonly Challenge[] {
  let rest = header.slice(0, longest);
  const found: { scheme: string; parameters: Map<string, { value: string; isQuoted: boolean }> }[] = [];
  const skip = (): string => (rest = rest.replace(/^[\s,]+/, ''));
  while (skip() !== '') {
    const name = token.exec(rest)?.[0];
    if (name === undefined) break;
    const after = rest.slice(name.length);
    const isParameter = found.length > 0 && /^\s*=(?!\s*(?:,|$))/.test(after);
    if (!isParameter) {
      found.push({ scheme: name.toLowerCase(), parameters: new Map() });
      // A token68 (RFC 9110, section 11.2) may follow the scheme instead of parameters.
      rest = after.replace(/^[ \t]+[a-z0-9._~+/-]+=*(?=\s*(?:,|$))/i, '');
      if (rest === after && after !== '' && !/^[\s,]/.test(after)) break;
      continue;
    }
    rest = after.replace(/^\s*=\s*/, '');
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
    const value = quoted?.[1]?.replace(/\\(.)/g, '$1') ?? token.exec(rest)?.[0];
    if (value === undefined) break;
    rest = rest.slice(quoted?.[0].length ?? value.length);
    const { parameters } = found.at(-1) ?? {
      parameters: new Map<string, { value: string; isQuoted: boolean }>(),
    };
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, { value, isQuoted: quoted !== null });
  }
  return found;
}
