import type { FormatId } from './format-id.js';
import type { Original } from '../../message/original.js';

export interface CreativeFormat {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly formatId: FormatId;
  readonly name: string;
  readonly type?: string;
  readonly original: Original;
}
