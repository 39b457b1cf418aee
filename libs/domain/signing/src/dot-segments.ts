/**
 * Removes dot segments from an absolute path (RFC 3986, section 5.2.4). Empty segments count: `/a//../b` loses the
 * empty one and keeps `/a`.
 */
export function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path;
  const stored: string[] = [];
  const segments = path.split('/').slice(1);
  const last = segments.length - 1;
  segments.forEach((segment, index) => {
    const dots = segment === '.' || segment === '..';
    if (segment === '..') stored.pop();
    if (!dots) stored.push(segment);
    else if (index === last) stored.push('');
  });
  return `/${stored.join('/')}`;
}
