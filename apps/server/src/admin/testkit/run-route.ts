import { err } from '@switchyard/values';
import type { CheckedRequest, RouteAnswer } from '../route.js';
import type { RunRoute } from '../routes.js';

/** Answers of some routes by id, for specs of the doors. */
export type SpecAnswers = Readonly<Record<string, (request: CheckedRequest) => RouteAnswer>>;

/** All other routes answer "not found". An answer that does not match its route's schema throws. */
export function specRunRoute(answers: SpecAnswers): RunRoute {
  return (route, request) => {
    const answer =
      answers[route.id]?.(request) ?? err({ code: 'NOT_FOUND', message: 'There is no such thing.' });
    if (answer.ok) route.answer.parse(answer.value);
    return Promise.resolve(answer);
  };
}
