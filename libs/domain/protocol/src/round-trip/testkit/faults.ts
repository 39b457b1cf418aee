import type { ErrorObject } from 'ajv';
import type { Release } from './schemas.js';

/**
 * What is wrong in a message of a release, without that kinds of assets of 2.5 overlap, where an image is a video and a
 * markup a text: what fits two of them fits.
 */
export function withoutOverlaps(errors: readonly ErrorObject[], to: Release): readonly ErrorObject[] {
  const isOverlap = ({ instancePath, keyword, params }: ErrorObject): boolean =>
    keyword === 'oneOf' && params['passingSchemas'] !== null && /\/assets\/[^/]+$/.test(instancePath);
  const twice = to === '2.5' ? errors.filter(isOverlap).map(({ instancePath }) => instancePath) : [];
  return errors.filter(
    ({ instancePath }) => !twice.some((path) => instancePath === path || instancePath.startsWith(`${path}/`)),
  );
}
