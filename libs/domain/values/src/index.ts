export { err, ok, type Result } from './result.js';
export { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from './json.js';
export { Secret } from './secret.js';
export { isoOf, type Clock, type Instant } from './clock.js';
