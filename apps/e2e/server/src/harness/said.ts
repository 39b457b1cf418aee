import type { Named } from './task-requests.js';

/** A door's answer as it was sent. */
export interface Said {
  readonly status: number;
  readonly text: string;
}

/** Returns an answer without the parts that differ between any two answers: sent names, fresh ids and times. */
export function bare(text: string, named: Named): string {
  const { cursors, ...texts } = named;
  const names = [...Object.entries(texts), ...Object.entries(cursors)] as [string, string][];
  return names
    .sort((one, other) => other[1].length - one[1].length)
    .reduce((left, [member, value]) => left.replaceAll(value, `<${member}>`), text)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/(?:op|task|new)[_-][A-Za-z0-9_<>-]+/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replaceAll(/"elapsed_ms":\d+/g, '"elapsed_ms":0');
}
