/** An element of an XML document, without its namespace. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly XmlNode[];
}

/** The first element at a path of names. */
export function nodeAt(node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined {
  let found = node;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** All elements at a path of names. */
export function nodesAt(node: XmlNode | undefined, ...path: readonly string[]): readonly XmlNode[] {
  let found: readonly XmlNode[] = node === undefined ? [] : [node];
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** The trimmed text of the first element at a path; empty if there is none. */
export const textAt = (node: XmlNode | undefined, ...path: readonly string[]): string =>
  nodeAt(node, ...path)?.text.trim() ?? '';
