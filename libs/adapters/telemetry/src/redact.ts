const shown = '[secret]';
const deepest = 8;

/** Names whose values are never logged, at any depth. Case, dashes and underscores are ignored. */
const secretName =
  /^(.*authorization|.*auth|.*cookie|.*token|.*secret|.*password|passwd|pass|.*credentials?|.*api[-_]?key|.*private[-_]?key|.*access[-_]?key|.*plaintext|.*data[-_]?key|jwt|bearer|basic)$/i;

/** Patterns of credentials inside a text. None of them matches across a quote, so a masked JSON line stays JSON. */
const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)(\s+|%20)[A-Za-z0-9._~+/=-]{4,}/gi, `$1 ${shown}`],
  [/\bsy_[A-Za-z0-9_-]{16,}/g, shown],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, shown],
  [/(:\/\/[^/\s:@"'\\]*:)[^@/\s"'\\]+@/g, `$1${shown}@`],
  [/([?&](?:[a-z_-]*token|[a-z_-]*key|secret|password|code|sig)=)[^&\s"'\\]+/gi, `$1${shown}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g, shown],
];

/** Masks what looks like a credential in a text of third-party code. */
function maskText(text: string): string {
  let masked = text;
  for (const [shape, replacement] of secretShapes) masked = masked.replace(shape, replacement);
  return masked;
}

/**
 * Masks a finished JSON line: values of secret names, and anything that looks like a credential. This covers what was
 * not copied by `redact`, such as the bindings of a child logger.
 */
export function maskLine(line: string): string {
  const named = line.replace(/"([^"\\]+)":"(?:[^"\\]|\\.)*"/g, (member, name: string) =>
    secretName.test(name) ? `"${name}":"${shown}"` : member,
  );
  return maskText(named);
}

/**
 * Copies a value for the log: values of secret names are removed, bytes become their length, texts are masked, errors
 * keep name, code, message and stack. Cycles and deep levels are cut.
 */
export function redact(value: unknown, depth = 0, seen: ReadonlySet<unknown> = new Set()): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value) || depth > deepest) return '[cut]';
  const above = new Set([...seen, value]);
  const within = (inner: unknown): unknown => redact(inner, depth + 1, above);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return redactList(value, within);
  if (value instanceof Map) return redactEntries([...value.entries()], within);
  if (value instanceof Set) return [...value].map(within);
  if (isError(value)) return redactError(value, within);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return within((value.toJSON as () => unknown)());
  return redactEntries(Object.entries(value), within);
}

function redactEntries(
  entries: readonly (readonly [unknown, unknown])[],
  within: (inner: unknown) => unknown,
) {
  return Object.fromEntries(
    entries.map(([name, inner]) => [String(name), secretName.test(String(name)) ? shown : within(inner)]),
  );
}

/** Raw headers are a list in which each name is followed by its value. */
function redactList(list: readonly unknown[], within: (inner: unknown) => unknown): unknown[] {
  return list.map((inner, at) => {
    const before: unknown = list[at - 1];
    return typeof before === 'string' && secretName.test(before) ? shown : within(inner);
  });
}

function redactError(error: Error, within: (inner: unknown) => unknown): unknown {
  const own = Object.entries(error).filter(([name]) => name !== 'message' && name !== 'stack');
  return {
    ...redactEntries(own, within),
    type: error.name,
    message: maskText(error.message),
    ...(error.stack === undefined ? {} : { stack: maskText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: within(error.cause) }),
  };
}

/** Checks the shape, not the class: errors of other realms and libraries count too. */
function isError(value: object): value is Error {
  return (
    value instanceof Error || ('message' in value && 'stack' in value && typeof value.message === 'string')
  );
}
