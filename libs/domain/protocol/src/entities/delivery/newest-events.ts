/** Kinds of events that 3.1 added and 3.0 does not have. */
export const newestEvents: ReadonlySet<string> = new Set(['follow', 'content_view', 'watch_milestone']);
