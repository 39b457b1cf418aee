import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** One statement of the store, and its place in the source. */
export interface StoreStatement {
  readonly at: string;
  readonly text: string;
}

type Texts = readonly string[] | undefined;
type Bound = ReadonlyMap<string, Texts>;

const isSql = (text: string): boolean => /^\s*(select|insert into|update|delete from|with)\s/i.test(text);
const unbound: Bound = new Map();
/** Limit of variants of one text: a text with more is not read. */
const mostVariants = 64;

/**
 * Every SQL text in the package's source, evaluated without running it: constants, templates, both branches of a
 * conditional, functions of constants, and parameters through their call sites. `unread` lists the texts whose value is
 * known only at run time.
 */
export function storeStatements(folder: string): {
  readonly statements: readonly StoreStatement[];
  readonly unread: readonly string[];
} {
  const reader = new Reader(sourcesOf(folder));
  const statements = new Map<string, StoreStatement>();
  const unread = new Set<string>();
  for (const source of reader.sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
        const head = ts.isTemplateExpression(node) ? node.head.text : node.text;
        const texts = isSql(head) || isHeadless(node) ? reader.textsOf(node) : [];
        const at = `${relative(folder, source.fileName)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
        if (texts === undefined && isSql(head)) unread.add(at);
        for (const text of texts ?? []) if (isSql(text)) statements.set(text, { at, text });
        if (isSql(head)) return;
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { statements: [...statements.values()], unread: [...unread] };
}

/** A template that starts with an expression, which may hold the verb. */
function isHeadless(node: ts.Node): boolean {
  return ts.isTemplateExpression(node) && node.head.text.trim() === '' && !ts.isTypeNode(node.parent);
}

function sourcesOf(folder: string): readonly ts.SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        name.endsWith('.ts') && !/(^|\/)(backup|bi|generated|migrate|embedded|plans)\/|spec/.test(name),
    )
    .map((name) => join(folder, name))
    .map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true));
}

class Reader {
  readonly #declared = new Map<string, ts.Node>();
  readonly #calls = new Map<string, ts.CallExpression[]>();
  /** What was found once: the same names and parameters are asked for thousands of times. */
  readonly #declarations = new Map<ts.Identifier, ts.Node | undefined>();
  readonly #texts = new Map<ts.Node, Map<number, Texts>>();

  constructor(readonly sources: readonly ts.SourceFile[]) {
    for (const source of sources) this.#index(source);
  }

  textsOf(node: ts.Node, bound: Bound = unbound, depth = 0): Texts {
    if (depth > 24) return undefined;
    if (bound !== unbound) return this.#evaluated(node, bound, depth);
    const known = this.#texts.get(node) ?? new Map<number, Texts>();
    this.#texts.set(node, known);
    if (!known.has(depth)) known.set(depth, this.#evaluated(node, bound, depth));
    return known.get(depth);
  }

  #evaluated(node: ts.Node, bound: Bound, depth: number): Texts {
    const next = (one: ts.Node, own = bound): Texts => this.textsOf(one, own, depth + 1);
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return next(node.expression);
    if (ts.isConditionalExpression(node)) return union([next(node.whenTrue), next(node.whenFalse)]);
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.flatMap((span) => [next(span.expression), [span.literal.text]]);
      return spans.reduce<Texts>(joined, [node.head.text]);
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
      return joined(next(node.left), next(node.right));
    if (ts.isElementAccessExpression(node)) return this.#anyValue(node.expression, next);
    if (ts.isCallExpression(node)) return this.#called(node, next);
    if (!ts.isIdentifier(node)) return undefined;
    if (bound.has(node.text)) return bound.get(node.text);
    const declaration = this.#declarationOf(node);
    if (declaration === undefined) return undefined;
    return ts.isParameter(declaration) ? this.#passed(declaration, depth) : next(declaration, bound);
  }

  /** The value of a function of constants; for a list, its joined items. */
  #called(node: ts.CallExpression, next: (one: ts.Node, own?: Bound) => Texts): Texts {
    if (ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'join') {
      const between = node.arguments[0] && next(node.arguments[0]);
      const each = this.#eachOf(node.expression.expression, next);
      return each?.reduce<Texts>(
        (text, one, at) => joined(at === 0 ? text : joined(text, between), one),
        [''],
      );
    }
    const made = ts.isIdentifier(node.expression) ? this.#declarationOf(node.expression) : undefined;
    if (made === undefined || !(ts.isArrowFunction(made) || ts.isFunctionDeclaration(made))) return undefined;
    const body = bodyOf(made);
    if (body === undefined) return undefined;
    const own = new Map<string, Texts>();
    for (const [at, { name }] of made.parameters.entries())
      if (ts.isIdentifier(name)) own.set(name.text, node.arguments[at] && next(node.arguments[at]));
    return next(body, own);
  }

  /** The values of a parameter, over all calls of functions with that name. */
  #passed(parameter: ts.ParameterDeclaration, depth: number): Texts {
    const made = parameter.parent;
    const name = nameOf(made);
    const calls = name === undefined ? undefined : this.#calls.get(name);
    if (calls === undefined) return undefined;
    const at = made.parameters.indexOf(parameter);
    return union(
      calls.map((call) => {
        const given = call.arguments[at] ?? parameter.initializer;
        return given === undefined ? undefined : this.textsOf(given, unbound, depth + 1);
      }),
    );
  }

  /** The items of a constant list, also if a function is mapped over it. */
  #eachOf(node: ts.Node, next: (one: ts.Node, own?: Bound) => Texts): readonly Texts[] | undefined {
    if (ts.isAsExpression(node)) return this.#eachOf(node.expression, next);
    if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => next(element));
    if (ts.isIdentifier(node)) {
      const made = this.#declarationOf(node);
      return made && this.#eachOf(made, next);
    }
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    if (node.expression.getText() === 'Object.keys') return this.#namesIn(node.arguments[0]);
    const items = this.#eachOf(node.expression.expression, next);
    const [over] = node.arguments;
    if (node.expression.name.text !== 'map' || over === undefined || !ts.isArrowFunction(over))
      return undefined;
    const parameter = over.parameters[0]?.name;
    if (parameter === undefined || !ts.isIdentifier(parameter)) return undefined;
    return items?.map((item) => next(over.body, new Map([[parameter.text, item]])));
  }

  #anyValue(node: ts.Node, next: (one: ts.Node) => Texts): Texts {
    const object = this.#objectAt(node);
    return (
      object &&
      union(
        object.properties.map((property) =>
          ts.isPropertyAssignment(property) ? next(property.initializer) : undefined,
        ),
      )
    );
  }

  #namesIn(node: ts.Node | undefined): readonly Texts[] | undefined {
    return (
      node &&
      this.#objectAt(node)?.properties.map(({ name }) => (name === undefined ? undefined : [name.getText()]))
    );
  }

  #objectAt(node: ts.Node): ts.ObjectLiteralExpression | undefined {
    const made = ts.isIdentifier(node) ? this.#declarationOf(node) : undefined;
    const object =
      made && (ts.isAsExpression(made) || ts.isSatisfiesExpression(made) ? made.expression : made);
    return object !== undefined && ts.isObjectLiteralExpression(object) ? object : undefined;
  }

  /** The nearest parameter or constant with that name, then one of the module, then an import. */
  #declarationOf(name: ts.Identifier): ts.Node | undefined {
    if (!this.#declarations.has(name)) this.#declarations.set(name, this.#searched(name));
    return this.#declarations.get(name);
  }

  #searched(name: ts.Identifier): ts.Node | undefined {
    for (let at: ts.Node = name; !ts.isSourceFile(at);) {
      at = at.parent;
      const own = this.#declared.get(`${at.getSourceFile().fileName}#${at.pos}#${at.kind}#${name.text}`);
      if (own !== undefined) return own;
    }
    return this.#declared.get(name.text);
  }

  #index(source: ts.SourceFile): void {
    const keep = (scope: ts.Node, name: string, made: ts.Node): void => {
      this.#declared.set(`${source.fileName}#${scope.pos}#${scope.kind}#${name}`, made);
      if (ts.isSourceFile(scope) && !this.#declared.has(name)) this.#declared.set(name, made);
    };
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name))
        keep(node.parent.parent.parent, node.name.text, node.initializer);
      if (ts.isFunctionDeclaration(node) && node.name) keep(node.parent, node.name.text, node);
      if (ts.isParameter(node) && ts.isIdentifier(node.name)) keep(node.parent, node.name.text, node);
      if (ts.isCallExpression(node)) {
        const callee = ts.isPropertyAccessExpression(node.expression)
          ? node.expression.name
          : node.expression;
        if (ts.isIdentifier(callee))
          this.#calls.set(callee.text, [...(this.#calls.get(callee.text) ?? []), node]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
}

function nameOf(made: ts.SignatureDeclaration): string | undefined {
  if (made.name !== undefined && ts.isIdentifier(made.name)) return made.name.text;
  const { parent } = made;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
}

/** The only expression that a function returns: constants before its return are found by their names. */
function bodyOf({ body }: ts.ArrowFunction | ts.FunctionDeclaration): ts.Node | undefined {
  if (body === undefined || !ts.isBlock(body)) return body;
  const last = body.statements.at(-1);
  const isPlain = body.statements.slice(0, -1).every((statement) => ts.isVariableStatement(statement));
  return isPlain && last !== undefined && ts.isReturnStatement(last) ? last.expression : undefined;
}

function joined(before: Texts, after: Texts): Texts {
  if (before === undefined || after === undefined) return undefined;
  if (before.length * after.length > mostVariants) return undefined;
  return before.flatMap((one) => after.map((other) => one + other));
}

function union(parts: readonly Texts[]): Texts {
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return [...new Set(parts.flatMap((part) => part ?? []))];
}
