import type { FormatId } from './format-id.js';
import type { Original } from '../../message/original.js';

export interface CreativeFormat {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  readonly formatId: FormatId;
  readonly name: string;
  readonly type?: string;
  readonly original: Original;
}
