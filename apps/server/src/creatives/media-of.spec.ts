import { describe, expect, it } from '@jest/globals';
import { mediaOf } from './media-of.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(64)]);

describe('the kind of an uploaded file', () => {
  it.each([
    ['PNG', '89504e470d0a1a0a 0000000d 49484452 0000012c 000000fa', 'png', 300, 250],
    ['GIF', '474946383961 2c01 fa00', 'gif', 300, 250],
    ['JPEG', 'ffd8 ffe0 0004 0000 ffc0 0011 08 00fa 012c', 'jpg', 300, 250],
    ['WebP', '52494646 00000000 57454250 56503858 0a000000 00000000 2b0100 f90000', 'webp', 300, 250],
  ])('%s is told by its bytes, with its size in pixels', (_, bytes, extension, width, height) => {
    expect(mediaOf(padded(hex(bytes)))).toEqual({ extension, width, height });
  });

  it('of a video, a page and VAST is told without a size', () => {
    expect(mediaOf(padded(hex('00000018 66747970 69736f6d')))).toEqual({ extension: 'mp4' });
    expect(mediaOf(padded(hex('1a45dfa3')))).toEqual({ extension: 'webm' });
    expect(mediaOf(Buffer.from('<!DOCTYPE html><p>Ad</p>'))).toEqual({ extension: 'html' });
    expect(mediaOf(Buffer.from('\uFEFF<?xml version="1.0"?>\n<VAST version="4.2"/>'))).toEqual({
      extension: 'xml',
    });
  });

  it('is unknown for anything else, whatever it is called, and for what is cut off', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('MZ\x90\0'),
      Buffer.from('%PDF-1.7'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
      Buffer.from('<html>\0'),
      hex('89504e470d0a1a0a'),
      padded(hex('89504e470d0a1a0a 0000000d 49484452 00000000 000000fa')),
      hex('ffd8 ffe0 ffff'),
      padded(hex('ffd8ffe1 0000')),
    ])
      expect(mediaOf(bytes)).toBeUndefined();
  });
});
