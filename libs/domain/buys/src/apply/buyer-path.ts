import type { Finding } from '@switchyard/protocol';

/** For each package sent to a seller, in its order, the position in the buyer's request. */
export interface BuyerPaths {
  readonly packages: readonly (number | undefined)[];
  readonly new_packages: readonly (number | undefined)[];
}

/** Matches `packages[1].budget`, or the same as a JSON pointer. */
const place = /^(\/?)(packages|new_packages)(\[|\/)(\d{1,4})/;

/**
 * Translates a path in the request to a seller into the buyer's: a seller counts the packages of its part,
 * the buyer those of the whole request. Undefined where the seller was not sent the package.
 */
export function buyerPath(path: string, places: BuyerPaths): string | undefined {
  const match = place.exec(path);
  if (match === null) return path;
  const [text, root = '', list = '', mark = '', index] = match;
  const at = places[list === 'packages' ? 'packages' : 'new_packages'][Number(index)];
  return at === undefined ? undefined : `${root}${list}${mark}${at}${path.slice(text.length)}`;
}

/** Findings on the request to a seller, with paths in the buyer's request. */
export function atBuyerPaths(findings: readonly Finding[], places: BuyerPaths): readonly Finding[] {
  return findings.map((finding) => {
    const field = finding.field === undefined ? undefined : buyerPath(finding.field, places);
    return field === undefined ? finding : { ...finding, field };
  });
}

/**
 * Returns the findings on a whole request that belong to one of its parts: those on its packages, and, for
 * the first part, those on no package. Each is shown with the seller of its package.
 *
 * @param parts - the positions of each part's packages in the buyer's lists
 */
export function findingsOfPart(
  findings: readonly Finding[],
  parts: readonly BuyerPaths[],
  part: number,
): readonly Finding[] {
  return findings.filter(({ field = '' }) => {
    const [, , list, , index] = place.exec(field) ?? [];
    const owner = parts.findIndex((places) =>
      places[list === 'new_packages' ? 'new_packages' : 'packages'].includes(Number(index)),
    );
    return part === (list === undefined || owner < 0 ? 0 : owner);
  });
}
