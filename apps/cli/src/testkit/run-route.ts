import {
  StartedJob,
  WaitsForApproval,
  WrittenAnswer,
  type CheckedRequest,
  type RouteAnswer,
  type RunRoute,
} from '@switchyard/server';
import { err, ok, type JsonObject } from '@switchyard/values';

/** What stands behind some routes of administration, by their ids; the last is the example that the route gives. */
export type SpecAnswers = Readonly<Record<string, ((request: CheckedRequest) => RouteAnswer) | 'example'>>;

/** A declared list shows its example, every other route finds nothing. An answer that does not fit the schema of its route is thrown. */
export function specRunRoute(answers: SpecAnswers): RunRoute {
  return (route, request) => {
    const given = answers[route.id] ?? (route.declared === undefined ? nothing : 'example');
    const answer = given === 'example' ? ok(route.example as JsonObject) : given(request);
    const value = answer.ok && answer.value;
    const isRead = [WaitsForApproval, StartedJob, WrittenAnswer].every((kind) => !(value instanceof kind));
    if (answer.ok && isRead) route.answer.parse(value);
    return Promise.resolve(answer);
  };
}

const nothing = (): RouteAnswer => err({ code: 'NOT_FOUND', message: 'There is no such thing.' });
