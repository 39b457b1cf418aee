import type { JsonObject, Result } from '@switchyard/values';
import type { AdminFailure } from '../../tasks/ports/admin.js';
import type { AdminCaller, Route } from '../route.js';

interface SpecRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: Buffer;
}

/**
 * For specs of one noun, without HTTP: calls its routes by their ids. Throws where a request does not fit the schemas of
 * its route, and where an answer has a member that its schema does not declare.
 */
export function callRoutes<Deps>(routes: readonly Route<Deps>[], deps: Deps) {
  return async (
    caller: AdminCaller,
    id: string,
    { params = {}, query = {}, body, bytes }: SpecRequest = {},
  ): Promise<Result<JsonObject, AdminFailure>> => {
    const route = routes.find((one) => one.id === id);
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    const answer = await route.handle(deps, {
      caller,
      params,
      query: route.query?.parse(query),
      body: route.body?.parse(body),
      ...(bytes !== undefined && { bytes }),
    });
    if (answer.ok) route.answer.parse(answer.value);
    return answer as Result<JsonObject, AdminFailure>;
  };
}
