import { createHash } from 'node:crypto';

const most = 300;

/**
 * Names for prepared statements: plans are kept per connection and name. Lists of different lengths make endless
 * variants of one statement, so only the first few hundred texts get a name; others are planned each time.
 */
export function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= most) return '';
    const name = `p${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}
