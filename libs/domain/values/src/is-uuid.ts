/** True for the text of a UUID in either case (RFC 9562, section 4). Other texts need no query: every id is a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
