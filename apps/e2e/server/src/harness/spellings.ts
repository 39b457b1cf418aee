/** Returns a secret in all spellings in which it could be stored or written by mistake. */
export function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    ...new Set([
      secret,
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(secret),
      new URLSearchParams({ secret }).toString().slice('secret='.length),
      JSON.stringify(secret).slice(1, -1),
    ]),
  ];
}
