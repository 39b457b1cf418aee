import type { Result } from '@switchyard/values';
import type { AdminFailure } from '../../application/admin.js';
import { refusal, type DoorAnswer, type DoorFault } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';

export type AdminAnswer = Result<object, AdminFailure | DoorFault>;

/** The answer of the application as the door gives it: its value as it stands, or its failure by the table of errors. */
export async function asAnswer(
  doors: DoorsContext,
  where: string,
  ask: () => Promise<AdminAnswer>,
): Promise<DoorAnswer> {
  try {
    const answer = await ask();
    return answer.ok ? { status: 200, body: answer.value } : refusal(answer.error);
  } catch (error) {
    doors.onUnexpected(error, where);
    return refusal({ code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' });
  }
}
