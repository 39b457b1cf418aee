import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const server = join(import.meta.dirname, '../../../../server/src');

/** Returns all routes as the controllers declare them: `POST /relay/{seller}/mcp`. */
export function routesOfEndpoints(): readonly string[] {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' });
  const textsOf = (ending: string) =>
    files.filter((name) => name.endsWith(ending)).map((name) => readFileSync(join(server, name), 'utf8'));
  return [
    ...textsOf('.controller.ts').flatMap(routesIn),
    ...textsOf('.controllers.ts').flatMap(routesIn),
    ...textsOf('.routes.ts').flatMap(rowsIn),
  ];
}

/** Rows of the table of routes begin with method and path. */
function rowsIn(source: string): readonly string[] {
  const rows = source.matchAll(/\bmethod: '(\w+)',\s+path: '([^']+)'/g);
  return [...rows].map(([, method = '', path = '']) => `${method.toUpperCase()} ${path}`);
}

/** Returns the routes with a name in the path. */
export function routesWithNames(): readonly string[] {
  return routesOfEndpoints().filter((route) => route.includes('{'));
}

function routesIn(source: string): readonly string[] {
  const base = /@Controller\((?:'([^']*)')?\)/.exec(source)?.[1] ?? '';
  const declared = source.matchAll(/@(Get|Post|Put|Patch|Delete|All)\(([^)]*)\)/g);
  return [...declared].flatMap(([, method = '', paths = '']) => {
    const named = [...paths.matchAll(/'([^']*)'/g)].map(([, path = '']) => path);
    return (named.length === 0 ? [''] : named).map((path) => {
      const whole = [base, path].filter((part) => part !== '').join('/');
      return `${method.toUpperCase()} /${whole.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
  });
}
