import type { ErrorCode } from './generated/routes.js';

/** A refusal of the server (problem details, RFC 9457), or of a request that it never answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** Of HTTP; 0 if there was no answer. */
    readonly status: number,
    /** The reason. `UNREACHABLE`: no answer came. `NOT_SWITCHYARD`: something else answers at this address. */
    readonly code: ErrorCode | 'UNREACHABLE' | 'NOT_SWITCHYARD',
    message: string,
    readonly more: {
      /** Path of the wrong member of the request. */
      readonly field?: string;
      readonly suggestion?: string;
      /** For the operator: the server has written it into its log. */
      readonly requestId?: string;
      /** The body as it came. */
      readonly body?: unknown;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
  }
}

/** The error of an answer that is no success. */
export function errorOf(status: number, text: string, requestId: string | null): ApiError {
  const body = readJson(text);
  const first = Array.isArray(body?.['errors']) ? (body['errors'] as unknown[])[0] : body?.['error'];
  const reported = isObject(first) ? first : {};
  const member = (name: string): string | undefined =>
    typeof reported[name] === 'string' ? reported[name] : undefined;
  const [field, suggestion] = [member('field'), member('suggestion')];
  const code = member('code');
  if (code === undefined)
    return new ApiError(
      status,
      'NOT_SWITCHYARD',
      `The answer has status ${String(status)} and no error code.`,
      {
        ...(status >= 400 && { body }),
      },
    );
  return new ApiError(status, code, member('message') ?? 'The request was refused.', {
    ...(field !== undefined && { field }),
    ...(suggestion !== undefined && { suggestion }),
    ...(requestId !== null && { requestId }),
    body,
  });
}

/** The object in a text of JSON; undefined for anything else. */
export function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
