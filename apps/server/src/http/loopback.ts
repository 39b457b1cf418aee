/** True for names and addresses that never leave this machine. Brackets of an IPv6 address may stand. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  const plain = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name;
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
