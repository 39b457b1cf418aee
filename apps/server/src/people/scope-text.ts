import type { GrantScope } from '@switchyard/tenancy';

/** A scope in the text format of REST and the command line. */
export function textOf(scope: GrantScope): string {
  return 'id' in scope ? `${scope.kind}:${scope.id}` : scope.kind;
}
