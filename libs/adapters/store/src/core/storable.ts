const lonely = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text as PostgreSQL takes it: it holds neither NUL nor half of a surrogate pair, which strangers do send. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(lonely, '\uFFFD');
}

/** The same for every text inside a value, names of members included, as JSON. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'string') return storableText(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const names = Object.keys(member);
    if (names.every((name) => storableText(name) === name)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [storableText(name), inner]));
  });
}
