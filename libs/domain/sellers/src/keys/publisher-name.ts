const reserved = /(?:^|\.)(?:test|example(?:\.(?:com|net|org))?|invalid|localhost|local|internal)$/;

/** True for a name that a publisher can have. Reserved names (RFC 2606 and 6761) have no owner and are not queried. */
export function isPublicName(name: string): boolean {
  return (
    name.length <= 253 && /^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(name) && !reserved.test(name)
  );
}
