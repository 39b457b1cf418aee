import type { Result } from '@switchyard/values';
import type { AdminFailure } from '../../tasks/ports/admin.js';
import { refusal, unexpectedFault, type DoorAnswer, type DoorFault } from '../door-answer.js';
import type { HttpContext } from '../http-context.js';

export type AdminAnswer = Result<object, AdminFailure | DoorFault>;

/** The application's result as an HTTP answer: its value unchanged, or its failure by the table of errors. */
export async function asAnswer(
  doors: Pick<HttpContext, 'onUnexpected'>,
  where: string,
  query: () => Promise<AdminAnswer>,
): Promise<DoorAnswer> {
  try {
    const answer = await query();
    return answer.ok ? { status: 200, body: answer.value } : refusal(faultOf(answer.error));
  } catch (error) {
    doors.onUnexpected(error, where);
    return refusal(unexpectedFault(error));
  }
}

/** The table of errors treats CONFLICT as a concurrent change. A conflict of an admin route mostly stays. */
function faultOf(failure: AdminFailure | DoorFault): DoorFault {
  return failure.code === 'CONFLICT' ? { ...failure, recovery: failure.recovery ?? 'correctable' } : failure;
}
