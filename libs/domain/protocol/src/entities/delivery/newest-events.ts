/** Kinds of events that came with 3.1: 3.0 has no word for them. */
export const newestEvents: ReadonlySet<string> = new Set(['follow', 'content_view', 'watch_milestone']);
