import type { Finding } from '@switchyard/protocol';

/** For each package that a seller is sent, in its order, where the buyer wrote it. */
export interface BuyersPlaces {
  readonly packages: readonly (number | undefined)[];
  readonly new_packages: readonly (number | undefined)[];
}

/** `packages[1].budget`, or the same as a JSON pointer. */
const place = /^(\/?)(packages|new_packages)(\[|\/)(\d{1,4})/;

/**
 * A path in what a seller was sent as the buyer knows it: a seller counts the packages of its own part, the buyer those of
 * its whole request. Nothing where the path names a package that the seller was not sent.
 */
export function buyersPlace(path: string, places: BuyersPlaces): string | undefined {
  const match = place.exec(path);
  if (match === null) return path;
  const [text, root = '', list = '', mark = '', index] = match;
  const at = places[list === 'packages' ? 'packages' : 'new_packages'][Number(index)];
  return at === undefined ? undefined : `${root}${list}${mark}${at}${path.slice(text.length)}`;
}

/** Findings on what a seller is sent, each at the buyer's own place. */
export function atBuyersPlaces(findings: readonly Finding[], places: BuyersPlaces): readonly Finding[] {
  return findings.map((finding) => {
    const field = finding.field === undefined ? undefined : buyersPlace(finding.field, places);
    return field === undefined ? finding : { ...finding, field };
  });
}

/**
 * Which findings on a whole request belong to one of its parts: those at a package of it, and with the first part what is
 * said of no package. Each is told beside the seller whose package it is about.
 *
 * @param parts - the places that each part has in the buyer's lists
 */
export function findingsOfPart(
  findings: readonly Finding[],
  parts: readonly BuyersPlaces[],
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
