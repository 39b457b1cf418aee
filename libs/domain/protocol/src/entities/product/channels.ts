import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';

/** Channels of 2.5. */
export const channels25: ReadonlySet<string> = new Set([
  'display',
  'video',
  'audio',
  'native',
  'dooh',
  'ctv',
  'podcast',
  'retail',
  'social',
]);

/** Channels of 3.x. */
const channels3x: ReadonlySet<string> = new Set([
  'display',
  'olv',
  'social',
  'search',
  'ctv',
  'linear_tv',
  'radio',
  'streaming_audio',
  'podcast',
  'dooh',
  'ooh',
  'print',
  'cinema',
  'email',
  'gaming',
  'retail_media',
  'influencer',
  'affiliate',
  'product_placement',
  'sponsored_intelligence',
]);

/** Channels of 2.5 that 3.x replaced, each with all that it may mean there. */
const newerWords: Readonly<Record<string, readonly string[]>> = {
  video: ['olv', 'ctv'],
  audio: ['streaming_audio'],
  native: ['display'],
  retail: ['retail_media'],
};

/**
 * Returns a channel filter in the names of a form; `undefined` if the form lacks one of the channels. A filter without
 * it would exclude products that the buyer wants, and a seller would reject an unknown channel.
 */
export function channelsFor(wanted: readonly string[] | undefined, to: Form): string[] | undefined {
  if (wanted === undefined || to === 'service') return wanted === undefined ? undefined : [...wanted];
  const words = wanted.map((channel) => wordsFor(channel, to));
  return words.some((some) => some.length === 0) ? undefined : [...new Set(words.flat())];
}

/**
 * Whether any of the named channels is wanted. Two lists of one form are compared exactly; otherwise an older channel
 * matches each newer one that it may mean.
 */
export function isOnChannel(named: readonly string[], wanted: readonly string[]): boolean {
  const isOneForm = [...named, ...wanted].every((channel) => channels25.has(channel));
  const [has, requested] = isOneForm ? [named, wanted] : [named.flatMap(newerOf), wanted.flatMap(newerOf)];
  return has.some((channel) => requested.includes(channel));
}

function wordsFor(channel: string, to: Form): readonly string[] {
  if (is3x(to)) return newerOf(channel).filter((name) => channels3x.has(name));
  if (channels25.has(channel)) return [channel];
  return Object.keys(newerWords).filter((older) => older !== 'native' && newerOf(older).includes(channel));
}

function newerOf(channel: string): readonly string[] {
  return Object.hasOwn(newerWords, channel) ? (newerWords[channel] ?? []) : [channel];
}
