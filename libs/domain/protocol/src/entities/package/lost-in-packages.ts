import type { JsonObject } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { PackageRequest } from './package-request.js';
import type { Form } from '../../versions/wire-profile.js';
import { fittedTerms } from './fitted-terms.js';
import { lostMembers, withPaths } from '../../losses/lost-members.js';

const carriage = {
  aliases: { buyer_ref: ['context'] },
  // The context is returned by us; losses in creatives and targeting are reported where packages are projected.
  ours: ['context', 'creatives', 'creative_ids', 'creative_assignments', 'targeting_overlay'],
};

/** Paths of what the request's packages have and the written ones do not; `list` is their member in the request. */
export function lostInPackages(
  packages: readonly PackageRequest[],
  written: readonly JsonObject[],
  list: 'packages' | 'new_packages',
  to: Form,
): readonly Finding[] {
  return packages.flatMap(({ original: { form, value } }, at) => {
    const lost = lostMembers(value, written[at] ?? {}, carriage);
    const unfit = form === '3.1' ? fittedTerms(value, to).lost : [];
    return withPaths(lost, unfit).map((finding) => ({
      ...finding,
      field: `${list}[${at}].${finding.field ?? ''}`,
    }));
  });
}
