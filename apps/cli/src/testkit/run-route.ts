import type { CheckedRequest, RouteAnswer, RunRoute } from '@switchyard/server';
import { err } from '@switchyard/values';

/** What stands behind some routes of administration, by their ids. */
export type SpecAnswers = Readonly<Record<string, (request: CheckedRequest) => RouteAnswer>>;

/** Every other route finds nothing. An answer that does not fit the schema of its route is thrown. */
export function specRunRoute(answers: SpecAnswers): RunRoute {
  return (route, request) => {
    const answer =
      answers[route.id]?.(request) ?? err({ code: 'NOT_FOUND', message: 'There is no such thing.' });
    if (answer.ok) route.answer.parse(answer.value);
    return Promise.resolve(answer);
  };
}
