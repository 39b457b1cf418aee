import ts from 'typescript';
import { bodyOf, joined, union, type Sources, type StoreStatement, type Texts } from './source-texts.js';

/** Names of the columns of each model, and of its keys of several columns. */
export type Models = ReadonlyMap<string, ReadonlySet<string>>;

const planned = new Set([
  ...['findMany', 'findFirst', 'findFirstOrThrow', 'count', 'aggregate', 'groupBy'],
  ...['update', 'updateMany', 'updateManyAndReturn', 'delete', 'deleteMany'],
]);
/** What an operator of Prisma is in SQL. */
const signs: Readonly<Record<string, string>> = {
  ...{ equals: '= $', gt: '> $', gte: '>= $', lt: '< $', lte: '<= $', startsWith: 'like $' },
  ...{ in: '= any($)', notIn: '<> all($)' },
};
const all: Texts = ['true'];

/**
 * For each call of Prisma's client, a statement that finds the same rows: the condition, order and limit of the call,
 * read from the source. `unread` lists the calls whose condition is known only at run time.
 */
export function modelStatements(
  sources: Sources,
  models: Models,
): { readonly statements: readonly StoreStatement[]; readonly unread: readonly string[] } {
  const reader = new ConditionReader(sources);
  const statements = new Map<string, StoreStatement>();
  const unread: string[] = [];
  sources.visit((node) => {
    const call = callOf(node, models);
    if (call === undefined) return true;
    const at = sources.placeOf(node);
    const texts = reader.statementsOf(call);
    if (texts === undefined) unread.push(at);
    for (const text of texts ?? []) statements.set(text, { at, text });
    return true;
  });
  return { statements: [...statements.values()], unread };
}

interface ModelCall {
  readonly model: string;
  readonly columns: ReadonlySet<string>;
  readonly method: string;
  readonly given: ts.Expression | undefined;
}

function callOf(node: ts.Node, models: Models): ModelCall | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  const on = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  const columns = ts.isIdentifier(on) ? models.get(on.text) : undefined;
  if (columns === undefined || !planned.has(name.text)) return undefined;
  return { model: on.getText(), columns, method: name.text, given: node.arguments[0] };
}

class ConditionReader {
  constructor(private readonly sources: Sources) {}

  statementsOf({ model, columns, method, given }: ModelCall): Texts {
    const options = given === undefined ? undefined : this.sources.objectAt(given);
    if (given !== undefined && options === undefined) return undefined;
    const where = this.#memberOf(options, 'where');
    const conditions = where === undefined ? all : this.#conditionOf(where, columns);
    const order = orderOf(this.#memberOf(options, 'orderBy'));
    const limit = method.startsWith('findFirst')
      ? ' limit 1'
      : this.#memberOf(options, 'take') === undefined
        ? ''
        : ' limit 50';
    return conditions?.map((text) => numbered(`select * from ${model} where ${text}${order}${limit}`));
  }

  #memberOf(options: ts.ObjectLiteralExpression | undefined, name: string): ts.Node | undefined {
    const member = options?.properties.find((one) => one.name?.getText() === name);
    if (member === undefined) return undefined;
    return ts.isPropertyAssignment(member) ? member.initializer : member.name;
  }

  /** The alternatives of one condition: with and without what is given in some calls only. */
  #conditionOf(node: ts.Node, columns: ReadonlySet<string>, depth = 0): Texts {
    if (depth > 16) return undefined;
    const next = (one: ts.Node): Texts => this.#conditionOf(one, columns, depth + 1);
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return next(node.expression);
    if (ts.isConditionalExpression(node)) return union([next(node.whenTrue), next(node.whenFalse)]);
    if (ts.isBinaryExpression(node)) return union([all, next(node.right)]);
    if (ts.isObjectLiteralExpression(node))
      return together(
        node.properties.map((property) => this.#propertyOf(property, columns, depth + 1)),
        'and',
      );
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [given] = node.arguments;
      // Takes what is undefined out of an object.
      if (node.expression.text === 'defined' && given !== undefined) return union([all, next(given)]);
      const made = this.sources.functionOf(node.expression);
      const body = made && bodyOf(made);
      return body && next(body);
    }
    if (!ts.isIdentifier(node)) return undefined;
    if (node.text === 'undefined') return all;
    const made = this.sources.declarationOf(node);
    if (made === undefined) return undefined;
    if (!ts.isParameter(made)) return next(made);
    const passed = this.sources.passedTo(made);
    return passed && union(passed.map((one) => (one === undefined ? undefined : next(one))));
  }

  #propertyOf(property: ts.ObjectLiteralElementLike, columns: ReadonlySet<string>, depth: number): Texts {
    if (ts.isSpreadAssignment(property)) return this.#conditionOf(property.expression, columns, depth);
    const name = property.name.getText();
    const value = ts.isPropertyAssignment(property) ? property.initializer : property.name;
    if (name === 'OR' || name === 'AND' || name === 'NOT') {
      const made = ts.isIdentifier(value) ? (this.sources.declarationOf(value) ?? value) : value;
      const parts = ts.isArrayLiteralExpression(made) ? made.elements : [made];
      const texts = together(
        parts.map((part) => this.#conditionOf(part, columns, depth)),
        name === 'OR' ? 'or' : 'and',
      );
      return name === 'NOT' ? texts?.map((text) => `not ${text}`) : texts;
    }
    if (columns.has(name)) return this.#valueOf(name, value);
    // A key of several columns names them once more.
    return name.split('_').length > 1 && ts.isObjectLiteralExpression(value)
      ? this.#conditionOf(value, columns, depth)
      : undefined;
  }

  #valueOf(column: string, node: ts.Node): Texts {
    if (node.kind === ts.SyntaxKind.NullKeyword) return [`${column} is null`];
    if (ts.isConditionalExpression(node))
      return union([this.#valueOf(column, node.whenTrue), this.#valueOf(column, node.whenFalse)]);
    if (ts.isStringLiteralLike(node)) return [`${column} = '${node.text}'`];
    if (ts.isIdentifier(node) && node.text === 'undefined') return all;
    const made = this.sources.objectAt(node);
    if (made === undefined) return [`${column} = $`];
    // Inside of JSON and of lists there is no index: such a condition leaves out rows that others have found.
    if (made.properties.some((one) => /^(path|has)$/.test(one.name?.getText() ?? ''))) return all;
    return together(
      made.properties.map((one) => {
        const sign = one.name?.getText() ?? '';
        const value = ts.isPropertyAssignment(one) ? one.initializer : one.name;
        if (value === undefined) return undefined;
        if (signs[sign] !== undefined) return [`${column} ${signs[sign]}`];
        if (sign === 'not')
          return [
            value.kind === ts.SyntaxKind.NullKeyword
              ? `${column} is not null`
              : `${column} is distinct from $`,
          ];
        return undefined;
      }),
      'and',
    );
  }
}

function together(parts: readonly Texts[], word: 'and' | 'or'): Texts {
  if (parts.length === 0) return all;
  const texts = parts.reduce((text, part) => joined(joined(text, [` ${word} `]), part));
  return texts?.map((text) => `(${text})`);
}

function orderOf(node: ts.Node | undefined): string {
  if (node === undefined) return '';
  const columns = [...node.getText().matchAll(/(\w+): '(asc|desc)'/g)].map((one) => one.slice(1).join(' '));
  return columns.length === 0 ? '' : ` order by ${columns.join()}`;
}

function numbered(text: string): string {
  let at = 0;
  return text.replaceAll('$', () => `$${String((at += 1))}`);
}
