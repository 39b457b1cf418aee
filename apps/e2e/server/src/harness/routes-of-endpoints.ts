import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const controllers = ['http', 'sign-in'].map((folder) =>
  join(import.meta.dirname, '../../../../server/src', folder),
);
const admin = join(import.meta.dirname, '../../../../server/src/admin');

/** Returns all routes as the controllers declare them: `POST /relay/{seller}/mcp`. */
export function routesOfEndpoints(): readonly string[] {
  const inControllers = controllers.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.controller.ts'))
      .flatMap((name) => routesIn(readFileSync(join(folder, name), 'utf8'))),
  );
  const inTable = readdirSync(admin, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .flatMap((name) => rowsIn(readFileSync(join(admin, name), 'utf8')));
  return [...inControllers, ...inTable];
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
