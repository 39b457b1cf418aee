export { err, ok, type Result } from './result.js';
export { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from './json.js';
export { Secret } from './secret.js';
export { isoOf, type Clock, type Instant } from './clock.js';
export {
  parseStrictJson,
  peerJsonLimits,
  type StrictJson,
  type StrictJsonError,
  type StrictJsonErrorCode,
  type StrictJsonLimits,
} from './strict-json.js';
export { canonicalJson } from './canonical-json.js';
export { csvRow } from './csv-row.js';
export { decimalTextAt, plainDecimal, sameDecimal } from './decimal-text.js';
export { jsonPointer, type JsonPath } from './json-pointer.js';
export { sanitizeKeyName, sanitizeKeyNames } from './key-name.js';
export { findNul } from './find-nul.js';
export { isStorableText, storableText } from './storable-text.js';
export { isUuid } from './is-uuid.js';
export { concealInText, concealTexts, replaceTexts } from './conceal-texts.js';
export { exceedsBounds, weightOf, type JsonBounds } from './bounded-json.js';
export { atOnce, inTurns, nextTurn, slicesOf, type Slice } from './next-turn.js';
export type { PageRead, SortKey } from './page-read.js';
