import type { Published } from '@switchyard/testing';
import type { ErrorObject } from 'ajv';

/**
 * Returns the faults of a message, except those of overlapping asset kinds in 2.5: an image is also a video there, and
 * a markup a text, so that a value fits two kinds.
 */
export function withoutOverlaps(errors: readonly ErrorObject[], to: Published): readonly ErrorObject[] {
  const isOverlap = ({ instancePath, keyword, params }: ErrorObject): boolean =>
    keyword === 'oneOf' && params['passingSchemas'] !== null && /\/assets\/[^/]+$/.test(instancePath);
  const twice = to === '2.5' ? errors.filter(isOverlap).map(({ instancePath }) => instancePath) : [];
  return errors.filter(
    ({ instancePath }) => !twice.some((path) => instancePath === path || instancePath.startsWith(`${path}/`)),
  );
}
