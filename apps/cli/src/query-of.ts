/** The query part of an address, with its question mark; empty if no member has a value. */
export function queryOf(members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
