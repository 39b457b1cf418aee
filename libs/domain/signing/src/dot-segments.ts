/**
 * RFC 3986, section 5.2.4, on an absolute path. Empty segments are segments: `/a//../b` loses the empty one and
 * keeps `/a`.
 */
export function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path;
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  const last = segments.length - 1;
  segments.forEach((segment, index) => {
    const dots = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!dots) kept.push(segment);
    else if (index === last) kept.push('');
  });
  return `/${kept.join('/')}`;
}
