/**
 * `npm run client [-- FILE]`
 *
 * Writes TypeScript types of every route of `/openapi.json`, tasks included: parameters, query, body and answer. The
 * document is made in this process, so no server has to run. Without FILE it writes the types of `@switchyard/client`, with
 * which the command line and the console are compiled; the build calls it when the server has changed. It is written here because the
 * document uses only a few keywords of JSON Schema, all made by zod.
 *
 * Beside them it writes `lists.ts`: the commands of declared lists, and what the query of each list takes. The command
 * line makes its options of it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = resolve(process.argv[2] ?? join(root, 'libs/adapters/client/src/generated/routes.d.ts'));
const { openApi } = await import(join(root, 'apps/server/dist/main/openapi.js'));

const nameOf = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema, indent) {
  if (schema === true || schema === undefined) return 'JsonValue';
  if (schema.$ref !== undefined) return `Schemas[${JSON.stringify(schema.$ref.split('/').at(-1))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map((one) => `(${typeOf(one, indent)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one, indent)})`).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return schema.prefixItems
        ? `readonly [${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`
        : `readonly (${typeOf(schema.items, indent)})[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'JsonValue';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }, indent) {
  const members = Object.entries(properties);
  const others =
    additionalProperties === undefined || additionalProperties === false ? undefined : additionalProperties;
  if (members.length === 0)
    return others === undefined ? 'JsonObject' : `{ readonly [name: string]: ${typeOf(others, indent)} }`;
  const inner = `${indent}  `;
  const lines = members.map(
    ([name, member]) =>
      `${inner}readonly ${nameOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member, inner)};`,
  );
  const own = `{\n${lines.join('\n')}\n${indent}}`;
  return others === undefined ? own : `${own} & JsonObject`;
}

/** Everything in an address is text; some parameters accept only a few texts. */
const textOf = ({ enum: texts } = {}) =>
  texts?.every((one) => typeof one === 'string')
    ? texts.map((one) => JSON.stringify(one)).join(' | ')
    : 'string';

function parametersType(parameters, place) {
  const own = parameters.filter((one) => one.in === place);
  if (own.length === 0) return undefined;
  const lines = own.map(
    ({ name, required, schema }) =>
      `      readonly ${nameOf(name)}${required ? `: ${textOf(schema)}` : `?: ${textOf(schema)} | undefined`};`,
  );
  return `{\n${lines.join('\n')}\n    }`;
}

const jsonOf = (content) => content?.['application/json']?.schema;

function routeType(method, path, { parameters = [], requestBody, responses }) {
  const [answer, later] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, one]) => one);
  const members = [
    ['params', parametersType(parameters, 'path')],
    ['query', parametersType(parameters, 'query')],
    ['body', requestBody && typeOf(jsonOf(requestBody.content), '    ')],
    ['answer', jsonOf(answer?.content) && typeOf(jsonOf(answer.content), '    ')],
    ['later', jsonOf(later?.content) && typeOf(jsonOf(later.content), '    ')],
  ].filter(([, type]) => type !== undefined);
  const lines = members.map(([name, type]) => `    readonly ${name}: ${type};`);
  return `  readonly '${method.toUpperCase()} ${path}': {\n${lines.join('\n')}\n  };`;
}

const { adminRoutes } = await import(join(root, 'apps/server/dist/main/routes.js'));

const document = openApi('', '');
const codes = document.components.schemas.Problem.properties.code['x-extensible-enum'];
const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
  // Any JSON: the one schema that holds itself.
  const isRecursive = JSON.stringify(schema).includes(`/schemas/${name}"`);
  return `  readonly ${nameOf(name)}: ${isRecursive ? 'JsonValue' : typeOf(schema, '  ')};`;
});
const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => routeType(method, path, one)),
);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(
  output,
  `// Made of /openapi.json by tools/client.mjs.
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Why a request is refused. A task and a later release may have others. */
export type ErrorCode =
${codes.map((code) => `  | '${code}'`).join('\n')}
  | (string & Record<never, never>);

/** Schemas by name. */
export interface Schemas {
${schemas.join('\n')}
}

/** Every route: its parameters, and what it takes and answers. */
export interface Routes {
${routes.join('\n')}
}
`,
);

const pageMembers = new Set(['cursor', 'limit']);
const queryOf = (path) =>
  (document.paths[path].get.parameters ?? [])
    .filter(({ name, in: place }) => place === 'query' && !pageMembers.has(name))
    .map(({ name, schema: { enum: words, description } }) => ({ name, words, description }));
const listRoutes = adminRoutes.filter(
  ({ method, query }) => method === 'get' && query !== undefined && 'cursor' in query.shape,
);
const commands = listRoutes.flatMap(({ declared, path }) =>
  declared?.command === undefined ? [] : [{ ...declared.command, path, rows: declared.rows }],
);
const queries = Object.fromEntries(listRoutes.map(({ path }) => [path, queryOf(path)]));
const listsFile =
  process.argv[2] === undefined
    ? join(root, 'apps/cli/src/generated/lists.ts')
    : join(dirname(output), 'lists.ts');
mkdirSync(dirname(listsFile), { recursive: true });
writeFileSync(
  listsFile,
  `// Made of the routes by tools/client.mjs.
import type { ListCommand, QueryMember } from '../list-command.js';

export const commands: readonly ListCommand[] = ${JSON.stringify(commands, undefined, 2)};

export const queries: Readonly<Record<string, readonly QueryMember[]>> = ${JSON.stringify(queries, undefined, 2)};
`,
);
