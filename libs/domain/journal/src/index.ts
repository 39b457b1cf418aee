export { hashOfBody, journalEntry, type Block, type JournalEntry } from './block.js';
export { isMacOfCheckpoint, macOfCheckpoint, type Checkpoint } from './checkpoint.js';
export { emptyStream, type StreamHead } from './head.js';
export { sealBlock } from './seal-block.js';
export {
  anchorDocument,
  anchorFormat,
  anchorType,
  hashOfBeside,
  readAnchorDocument,
  type HeadAnchor,
  type NotedHead,
} from './signed-anchor.js';
export {
  isFirstLine,
  readStreamDocument,
  readStreamLines,
  streamText,
  streamUntil,
  UnreadableBlock,
  type DocumentFault,
  type OpenStream,
  type WholeStream,
  type WritableStream,
} from './stream-document.js';
export { verifyStream, type Anchor, type StreamVerdict } from './verify-stream.js';
