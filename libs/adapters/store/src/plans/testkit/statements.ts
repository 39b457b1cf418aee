import ts from 'typescript';
import { bodyOf, joined, union, type Sources, type StoreStatement, type Texts } from './source-texts.js';

type Bound = ReadonlyMap<string, Texts>;

const isSql = (text: string): boolean => /^\s*(select|insert into|update|delete from|with)\s/i.test(text);
const unbound: Bound = new Map();

/**
 * Every SQL text in the package's source, evaluated without running it: constants, templates, both branches of a
 * conditional, functions of constants, and parameters through their call sites. `unread` lists the texts whose value is
 * known only at run time.
 */
export function storeStatements(sources: Sources): {
  readonly statements: readonly StoreStatement[];
  readonly unread: readonly string[];
} {
  const reader = new Reader(sources);
  const statements = new Map<string, StoreStatement>();
  const unread = new Set<string>();
  sources.visit((node) => {
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return true;
    const head = ts.isTemplateExpression(node) ? node.head.text : node.text;
    const texts = isSql(head) || isHeadless(node) ? reader.textsOf(node) : [];
    const at = sources.placeOf(node);
    if (texts === undefined && isSql(head)) unread.add(at);
    for (const text of texts ?? []) if (isSql(text)) statements.set(text, { at, text });
    return !isSql(head);
  });
  return { statements: [...statements.values()], unread: [...unread] };
}

/** A template that starts with an expression, which may hold the verb. */
function isHeadless(node: ts.Node): boolean {
  return ts.isTemplateExpression(node) && node.head.text.trim() === '' && !ts.isTypeNode(node.parent);
}

class Reader {
  readonly #texts = new Map<ts.Node, Map<number, Texts>>();

  constructor(private readonly sources: Sources) {}

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
    const declaration = this.sources.declarationOf(node);
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
    const made = ts.isIdentifier(node.expression) ? this.sources.functionOf(node.expression) : undefined;
    const body = made && bodyOf(made);
    if (made === undefined || body === undefined) return undefined;
    const own = new Map<string, Texts>();
    for (const [at, { name }] of made.parameters.entries())
      if (ts.isIdentifier(name)) own.set(name.text, node.arguments[at] && next(node.arguments[at]));
    return next(body, own);
  }

  /** The values of a parameter, over all calls of functions with that name. */
  #passed(parameter: ts.ParameterDeclaration, depth: number): Texts {
    const values = this.sources.passedTo(parameter);
    return values && union(values.map((value) => value && this.textsOf(value, unbound, depth + 1)));
  }

  /** The items of a constant list, also if a function is mapped over it. */
  #eachOf(node: ts.Node, next: (one: ts.Node, own?: Bound) => Texts): readonly Texts[] | undefined {
    if (ts.isAsExpression(node)) return this.#eachOf(node.expression, next);
    if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => next(element));
    if (ts.isIdentifier(node)) {
      const made = this.sources.declarationOf(node);
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
    const object = this.sources.objectAt(node);
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
      this.sources
        .objectAt(node)
        ?.properties.map(({ name }) => (name === undefined ? undefined : [name.getText()]))
    );
  }
}
