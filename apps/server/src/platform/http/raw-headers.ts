/** A header list in the order of arrival, repetitions kept. */
type HeaderList = readonly (readonly [name: string, value: string])[];

/** Node stores raw headers as one flat list of names and values. */
export function headerList(rawHeaders: readonly string[]): HeaderList {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    list.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  }
  return list;
}

/** All values of a header; several if it was sent several times. `name` in lower case. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return headerList(rawHeaders)
    .filter(([known]) => known.toLowerCase() === name)
    .map(([, value]) => value);
}

/** The caller's id of its request, from `X-Request-Id`: up to 100 plain characters. Without one the server makes its own. */
export function requestIdOf(rawHeaders: readonly string[]): string | undefined {
  return headerValues(rawHeaders, 'x-request-id').find((id) => /^[\w.:-]{1,100}$/.test(id));
}
