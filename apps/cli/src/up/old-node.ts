/** A warning for a version of Node that gets no security fixes any more; undefined for a newer one. */
export function oldNode(version: string): string | undefined {
  return Number.parseInt(version, 10) >= 22
    ? undefined
    : `Node ${version} gets no security fixes any more. In production use Node 24, as the image does.`;
}
