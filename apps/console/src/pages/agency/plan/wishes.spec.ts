import { describe, expect, it } from '@jest/globals';
import type { Offer } from './offers.js';
import { matchOf, wishesIn } from './wishes.js';

const offer = (given: Partial<Offer>): Offer =>
  ({ channels: ['olv'], countries: ['US'], currency: 'USD', minimum: '1000', ...given }) as Offer;
const keysOf = (brief: string, budget = ''): readonly string[] =>
  wishesIn(brief, budget).map(({ key }) => key);
const match = (brief: string, given: Partial<Offer>) => matchOf(offer(given), wishesIn(brief, ''));

describe('the wishes of a brief', () => {
  it('are its channels, countries, currency and amount', () => {
    expect(
      keysOf('Video for people who ride to work, United States, 22,000 USD, 1 December to 31 January'),
    ).toEqual(['video', 'US', 'money']);
    expect(keysOf('radio and banners in Germany and the UK, EUR 5.000')).toEqual([
      'audio',
      'display',
      'DE',
      'GB',
      'money',
    ]);
  });

  it('take no common word for a country', () => {
    expect(keysOf('it is for us, in no hurry, and at home')).toEqual([]);
  });

  it('prefer the amount that was typed beside the brief', () => {
    const [wish] = wishesIn('spend 900 USD', '5000');
    expect([wish?.name, wish?.isMetBy(offer({ minimum: '1000' }))]).toEqual(['5,000 USD', true]);
  });
});

describe('an offer that is held against wishes', () => {
  it('meets those that it meets, and names the others', () => {
    expect(match('video in the US, 500 USD', { channels: ['streaming_audio'] })).toEqual({
      met: 1,
      of: 3,
      missed: ['Video', '500 USD'],
    });
  });

  it('meets any of several channels', () => {
    expect(match('video or display', { channels: ['display'] })).toEqual({ met: 1, of: 1, missed: [] });
  });

  it('is not judged by what it says nothing about', () => {
    expect(match('video in Germany', { channels: [], countries: [] })).toEqual({ met: 0, of: 0, missed: [] });
  });
});
