import { foldName } from '../reading/header-names.js';
import { typeByWords } from '../reading/row-reader.js';
import { groupBy } from '../group-by.js';
import type { BilledLine, PackageFigures } from './compared-figures.js';

/** What a line bills by its names (docs/ledger.md#reconciliation). */
export interface FoundLine {
  readonly line: BilledLine;
  /** Media and credits are held against delivery. */
  readonly type: 'media' | 'credit' | 'fee' | 'tax' | 'commission' | 'open';
  /** Empty where no name is known. */
  readonly targets: readonly PackageFigures[];
  /** A known name of something else than the more specific names mean, and ours in its place. */
  readonly wrongPo?: { readonly said: string; readonly ours: string };
  /** It names a buy or a package, and none is known. */
  readonly isUnknown: boolean;
}

/** Finds what lines of one seller bill. */
export type TargetFinder = (line: BilledLine) => FoundLine;

/** The shortest word of a description that is looked up. */
const shortestWord = 5;

const withoutZeros = (name: string): string => name.replaceAll(/0+(?=\d)/g, '');

/** Names to the packages that have them. A name without leading zeros is asked where the whole one means nothing. */
class Names {
  private readonly exact = new Map<string, Set<PackageFigures>>();
  private readonly folded = new Map<string, Set<PackageFigures>>();
  private readonly bare = new Map<string, Set<PackageFigures>>();

  add(name: string | undefined, figure: PackageFigures): void {
    if (name === undefined || name === '') return;
    const folded = foldName(name);
    for (const [index, key] of [
      [this.exact, name],
      [this.folded, folded],
      [this.bare, withoutZeros(folded)],
    ] as const) {
      if (key === '') continue;
      const known = index.get(key);
      if (known === undefined) index.set(key, new Set([figure]));
      else known.add(figure);
    }
  }

  find(name: string | undefined): ReadonlySet<PackageFigures> | undefined {
    if (name === undefined || name === '') return undefined;
    const folded = foldName(name);
    const found = this.exact.get(name) ?? this.folded.get(folded);
    if (found !== undefined) return found;
    const bare = this.bare.get(withoutZeros(folded));
    return bare !== undefined && new Set([...bare].map(({ sellerMediaBuyId: id }) => id)).size === 1
      ? bare
      : undefined;
  }
}

/**
 * The finder of one seller. Names count from the most to the least specific: package, buy, purchase order, and then words
 * of the description. Each narrows what the ones before it mean; one that would leave nothing is a wrong reference.
 * Amounts choose nothing.
 */
export function targetFinder(figures: readonly PackageFigures[]): TargetFinder {
  const [packages, buys, money, words] = [new Names(), new Names(), new Names(), new Names()];
  for (const figure of figures) {
    const own = [figure.sellerMediaBuyId, figure.mediaBuyId];
    packages.add(figure.packageRef, figure);
    for (const name of own) buys.add(name, figure);
    money.add(figure.poNumber, figure);
    for (const name of figure.names ?? []) for (const index of [buys, money]) index.add(name, figure);
    for (const name of [figure.packageRef, ...own, figure.poNumber, ...(figure.names ?? [])])
      if ((name?.length ?? 0) >= shortestWord) words.add(name, figure);
  }
  return (line) => {
    const { packageRef, sellerMediaBuyId, poNumber, description = '' } = line;
    const ofBuy = buys.find(sellerMediaBuyId);
    const ofPackage = packages.find(packageRef);
    let found = sellerMediaBuyId === undefined ? ofPackage : ofBuy;
    const isNamed = sellerMediaBuyId !== undefined || packageRef !== undefined;
    if (ofBuy !== undefined && packageRef !== undefined)
      found = new Set([...ofBuy].filter((figure) => ofPackage?.has(figure) === true));
    const isUnknown = isNamed && (found === undefined || found.size === 0);
    const ofMoney = isUnknown ? undefined : money.find(poNumber);
    let wrongPo: FoundLine['wrongPo'];
    if (found === undefined) found = ofMoney;
    else if (poNumber !== undefined) {
      const cut = [...found].filter((figure) => ofMoney?.has(figure) === true);
      const ours = [...found].find((figure) => figure.poNumber !== undefined)?.poNumber;
      if (cut.length > 0) found = new Set(cut);
      else if (ours !== undefined && !isUnknown) wrongPo = { said: poNumber, ours };
    }
    if (found === undefined && !isNamed && poNumber === undefined) found = inWords(description, words);
    const targets = [...(found ?? [])];
    const said = line.type === undefined || line.type === 'open' ? undefined : line.type;
    const type = said ?? typeByWords(description, isNamed || targets.length > 0, line.amountMicros).type;
    return { line, type, targets, isUnknown, ...(wrongPo !== undefined && { wrongPo }) };
  };
}

/** The packages that words of a text mean, if they mean the same ones. */
function inWords(text: string, words: Names): ReadonlySet<PackageFigures> | undefined {
  let found: ReadonlySet<PackageFigures> | undefined;
  for (const word of text.split(/[\s,;()[\]]+/).slice(0, 30)) {
    const meant = word.length < shortestWord ? undefined : words.find(word);
    if (meant === undefined) continue;
    const before = found;
    const cut = before === undefined ? meant : new Set([...meant].filter((figure) => before.has(figure)));
    if (cut.size > 0) found = cut;
  }
  return found;
}

/** Lines and the packages that they bill together, over all documents. */
export interface BilledGroup {
  readonly lines: FoundLine[];
  readonly figures: PackageFigures[];
}

/** Connects lines by the packages that they share. The order of groups is that of their first lines. */
export function groupsOf(lines: readonly FoundLine[]): readonly BilledGroup[] {
  const parent = new Map<object, object>();
  const rootOf = (of: object): object => {
    let root = of;
    for (let next = parent.get(root); next !== undefined && next !== root; next = parent.get(root))
      root = next;
    for (let at = of; at !== root;) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { line, targets } of lines) {
    if (!parent.has(line)) parent.set(line, line);
    for (const target of targets) {
      if (!parent.has(target)) parent.set(target, target);
      const [from, to] = [rootOf(target), rootOf(line)];
      if (from !== to) parent.set(from, to);
    }
  }
  const groups = new Map<object, BilledGroup & { readonly seen: Set<PackageFigures> }>();
  for (const found of lines) {
    const root = rootOf(found.line);
    const group = groups.get(root) ?? { lines: [], figures: [], seen: new Set() };
    groups.set(root, group);
    group.lines.push(found);
    for (const target of found.targets)
      if (!group.seen.has(target)) {
        group.seen.add(target);
        group.figures.push(target);
      }
  }
  return [...groups.values()];
}

/**
 * Lines that are held against delivery, with credits that name nothing beside the only thing that their document bills, and
 * the commission that a document takes off where net was agreed.
 */
export function held(lines: readonly FoundLine[]): readonly FoundLine[] {
  const named = lines.filter(({ targets, type }) => targets.length > 0 && isHeld(type));
  const ofDocument = groupBy(named, ({ line }) => line.invoice);
  const beside = lines.flatMap((found): readonly FoundLine[] => {
    const isCommission = found.type === 'commission';
    if (found.isUnknown || !(isCommission || (found.type === 'credit' && found.targets.length === 0)))
      return [];
    const own = ofDocument.get(found.line.invoice) ?? [];
    const targets =
      found.targets.length > 0 ? found.targets : [...new Set(own.flatMap(({ targets: of }) => of))];
    if (isCommission && !targets.some(({ terms }) => terms?.isNet === true)) return [];
    return found.targets.length > 0 || groupsOf(own).length === 1 ? [{ ...found, targets }] : [];
  });
  return [...named, ...beside];
}

/** Whether lines of a type are compared with delivery. */
export const isHeld = (type: FoundLine['type']): boolean =>
  type === 'media' || type === 'credit' || type === 'open';
