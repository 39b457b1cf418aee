import { isJsonObject, type JsonObject } from '@switchyard/values';

/** A refusal in the tool's own shape. `state` is the current state, null if the object does not exist. */
export function refusedAs(error: string, detail: string, state?: string | null): JsonObject {
  return {
    success: false,
    error,
    error_detail: detail,
    ...(state === undefined ? {} : { current_state: state }),
  };
}

export function movedTo(previous: string, current: string): JsonObject {
  return { success: true, previous_state: previous, current_state: current };
}

export function objectAt(args: JsonObject, name: string): JsonObject {
  const value = args[name];
  return isJsonObject(value) ? value : {};
}

/** A text that is not empty, or undefined. */
export function textAt(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
