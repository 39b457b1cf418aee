/** True for names and addresses that never leave this machine. An IPv6 address may have brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  const plain = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name;
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
