import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';

/** What 2.5 takes for a channel. */
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

/** What 3.x takes for one. */
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

/** Words of 2.5 that 3.x has others for, each with all that it may mean there. */
const newerWords: Readonly<Record<string, readonly string[]>> = {
  video: ['olv', 'ctv'],
  audio: ['streaming_audio'],
  native: ['display'],
  retail: ['retail_media'],
};

/**
 * A filter of channels in a form's own words; nothing where one of them has no word there. A filter without it would
 * keep back what the buyer asked for, and one word too many would have the whole request refused.
 */
export function channelsFor(wanted: readonly string[] | undefined, to: Form): string[] | undefined {
  if (wanted === undefined || to === 'service') return wanted === undefined ? undefined : [...wanted];
  const words = wanted.map((one) => wordsFor(one, to));
  return words.some((some) => some.length === 0) ? undefined : [...new Set(words.flat())];
}

/**
 * Whether any of the channels named is one of those wanted. Two lists in the words of one form mean what they say; else
 * an older word is each of the newer ones that it may mean.
 */
export function isOnChannel(named: readonly string[], wanted: readonly string[]): boolean {
  const isOneForm = [...named, ...wanted].every((one) => channels25.has(one));
  const [has, requested] = isOneForm ? [named, wanted] : [named.flatMap(newerOf), wanted.flatMap(newerOf)];
  return has.some((one) => requested.includes(one));
}

function wordsFor(channel: string, to: Form): readonly string[] {
  if (is3x(to)) return newerOf(channel).filter((one) => channels3x.has(one));
  if (channels25.has(channel)) return [channel];
  return Object.keys(newerWords).filter((older) => older !== 'native' && newerOf(older).includes(channel));
}

function newerOf(channel: string): readonly string[] {
  return Object.hasOwn(newerWords, channel) ? (newerWords[channel] ?? []) : [channel];
}
