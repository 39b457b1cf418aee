import { defined, ok, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../failure.js';
import {
  StartedJob,
  startedJob,
  WaitsForApproval,
  waitsForApproval,
  WrittenAnswer,
  type AdminCaller,
  type Route,
} from '../route.js';

interface SpecRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: Buffer;
  /** When the job was begun that runs it again. */
  readonly begunAt?: number;
}

/**
 * Calls routes by id without HTTP, for specs of one noun. Throws if a request does not match the schemas of its route,
 * or if an answer has a member that its schema does not declare.
 */
async function textOf({ writeTo }: WrittenAnswer): Promise<string> {
  const parts: string[] = [];
  await writeTo((part) => {
    parts.push(part);
    return Promise.resolve();
  });
  return parts.join('');
}

export function callRoutes<Deps>(routes: readonly Route<Deps>[], deps: Deps) {
  return async (
    caller: AdminCaller,
    id: string,
    { params = {}, query = {}, body, bytes, begunAt }: SpecRequest = {},
  ): Promise<Result<JsonObject, AdminFailure>> => {
    const route = routes.find((item) => item.id === id);
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    const answer = await route.handle(deps, {
      caller,
      params,
      query: route.query?.parse(query),
      body: route.body?.parse(body),
      ...defined({ bytes, begunAt }),
    });
    if (answer.ok && answer.value instanceof WrittenAnswer && route.inParts !== true)
      throw new Error(`The route ${id} does not say that it answers in parts.`);
    const written =
      answer.ok && answer.value instanceof WrittenAnswer ? await textOf(answer.value) : undefined;
    const value: unknown = written === undefined ? answer.ok && answer.value : JSON.parse(written);
    if (answer.ok && value instanceof WaitsForApproval) {
      if (route.mayWait !== true) throw new Error(`The route ${id} does not say that it may wait.`);
      return ok(waitsForApproval.parse(value.body()));
    }
    if (answer.ok && value instanceof StartedJob) {
      if (route.mayStartJob !== true)
        throw new Error(`The route ${id} does not say that it may start a job.`);
      return ok(startedJob.parse(value.body()));
    }
    if (answer.ok) route.answer.parse(value);
    return (answer.ok ? ok(value) : answer) as Result<JsonObject, AdminFailure>;
  };
}
