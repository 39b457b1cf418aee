const reserved = /(?:^|\.)(?:test|example(?:\.(?:com|net|org))?|invalid|localhost|local|internal)$/;

/** A name that a publisher can have: names that are reserved (RFC 2606 and 6761) stand for nobody, and are not asked. */
export function isPublicName(name: string): boolean {
  return (
    name.length <= 253 && /^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(name) && !reserved.test(name)
  );
}
