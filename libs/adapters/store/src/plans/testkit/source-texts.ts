import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** One statement of the store, and its place in the source. */
export interface StoreStatement {
  readonly at: string;
  readonly text: string;
}

/** All texts that a place in the source may have; undefined if some are known only at run time. */
export type Texts = readonly string[] | undefined;

/** Limit of variants of one text: a text with more is not read. */
const mostVariants = 64;

/** The package's source, with what each name in it was declared as, and where each function is called. */
export class Sources {
  readonly files: readonly ts.SourceFile[];
  readonly #declared = new Map<string, ts.Node>();
  readonly #calls = new Map<string, ts.CallExpression[]>();
  /** What was found once: the same names and parameters are asked for thousands of times. */
  readonly #declarations = new Map<ts.Identifier, ts.Node | undefined>();

  constructor(readonly folder: string) {
    this.files = filesOf(folder);
    for (const source of this.files) this.#index(source);
  }

  /** File and line of a node. */
  placeOf(node: ts.Node): string {
    const source = node.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    return `${relative(this.folder, source.fileName)}:${String(line + 1)}`;
  }

  /** Calls `visit` with each node of each file; it says whether its parts are visited too. */
  visit(visit: (node: ts.Node) => boolean): void {
    const each = (node: ts.Node): void => {
      if (visit(node)) ts.forEachChild(node, each);
    };
    for (const source of this.files) each(source);
  }

  /** The nearest parameter or constant with that name, then one of the module, then an import. */
  declarationOf(name: ts.Identifier): ts.Node | undefined {
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

  /** The values of a parameter, over all calls of functions with that name; undefined where a call gives none. */
  passedTo(parameter: ts.ParameterDeclaration): readonly (ts.Expression | undefined)[] | undefined {
    const name = nameOf(parameter.parent);
    const at = parameter.parent.parameters.indexOf(parameter);
    return name === undefined
      ? undefined
      : this.#calls.get(name)?.map((call) => call.arguments[at] ?? parameter.initializer);
  }

  /** The function that a name stands for. */
  functionOf(name: ts.Identifier): ts.ArrowFunction | ts.FunctionDeclaration | undefined {
    const made = this.declarationOf(name);
    return made !== undefined && (ts.isArrowFunction(made) || ts.isFunctionDeclaration(made))
      ? made
      : undefined;
  }

  /** The object that a name or an expression is, if it is written out. */
  objectAt(node: ts.Node): ts.ObjectLiteralExpression | undefined {
    const made = ts.isIdentifier(node) ? this.declarationOf(node) : node;
    const object =
      made && (ts.isAsExpression(made) || ts.isSatisfiesExpression(made) ? made.expression : made);
    return object !== undefined && ts.isObjectLiteralExpression(object) ? object : undefined;
  }

  #index(source: ts.SourceFile): void {
    const keep = (scope: ts.Node, name: string, made: ts.Node): void => {
      this.#declared.set(`${source.fileName}#${scope.pos}#${scope.kind}#${name}`, made);
      if (ts.isSourceFile(scope) && !this.#declared.has(name)) this.#declared.set(name, made);
    };
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer)
        for (const [name, made] of namesOf(node.name, node.initializer))
          keep(node.parent.parent.parent, name, made);
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

function filesOf(folder: string): readonly ts.SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        name.endsWith('.ts') && !/(^|\/)(backup|bi|generated|migrate|embedded|plans)\/|spec/.test(name),
    )
    .map((name) => join(folder, name))
    .map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true));
}

/** The names that a declaration makes, also of several in a list, with what each is declared as. */
function namesOf(name: ts.BindingName, made: ts.Expression): readonly (readonly [string, ts.Expression])[] {
  if (ts.isIdentifier(name)) return [[name.text, made]];
  if (!ts.isArrayBindingPattern(name) || !ts.isArrayLiteralExpression(made)) return [];
  return name.elements.flatMap((element, at) => {
    const own = made.elements[at];
    return ts.isBindingElement(element) && own !== undefined ? namesOf(element.name, own) : [];
  });
}

function nameOf(made: ts.SignatureDeclaration): string | undefined {
  if (made.name !== undefined && ts.isIdentifier(made.name)) return made.name.text;
  const { parent } = made;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
}

/** The only expression that a function returns: constants before its return are found by their names. */
export function bodyOf({ body }: ts.ArrowFunction | ts.FunctionDeclaration): ts.Node | undefined {
  if (body === undefined || !ts.isBlock(body)) return body;
  const last = body.statements.at(-1);
  const isPlain = body.statements.slice(0, -1).every((statement) => ts.isVariableStatement(statement));
  return isPlain && last !== undefined && ts.isReturnStatement(last) ? last.expression : undefined;
}

export function joined(before: Texts, after: Texts): Texts {
  if (before === undefined || after === undefined) return undefined;
  if (before.length * after.length > mostVariants) return undefined;
  return before.flatMap((one) => after.map((other) => one + other));
}

export function union(parts: readonly Texts[]): Texts {
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return [...new Set(parts.flatMap((part) => part ?? []))];
}
