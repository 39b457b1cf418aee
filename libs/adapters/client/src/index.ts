export { ApiError } from './api-error.js';
export {
  SwitchyardClient,
  type AnswerOf,
  type ClientOptions,
  type Fetch,
  type ListName,
  type RequestOf,
  type RouteName,
  type RowOf,
} from './client.js';
export type { ErrorCode, JsonObject, JsonValue, Routes, Schemas } from './generated/routes.js';
