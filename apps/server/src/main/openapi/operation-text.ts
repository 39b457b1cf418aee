import type { AnyRoute } from '../../platform/routes/route.js';

/** What a caller must know of a route beside its summary: who may, and how it answers. All of it stands in its row. */
export function operationText(row: AnyRoute): string {
  return [
    rightOf(row),
    row.byPerson === true && 'A program that acts for a person is refused.',
    row.mayWait === true &&
      'It changes a control. If another person must approve that, the answer is 202 with the approval, and nothing is changed yet.',
    row.mayStartJob === true &&
      'If it takes longer than a request, the answer is 202 with the job that does it.',
    isPaged(row) &&
      'The answer is one page. If it has `next_cursor`, send that as `cursor` for the next one.',
    row.showsOnce === true && 'The answer shows a secret, this once.',
    row.inParts === true && 'The answer may be large and is sent in parts.',
    row.method !== 'get' && row.readsOnly !== true && `It is recorded in the audit as \`${row.id}\`.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function rightOf({ needs }: AnyRoute): string {
  if (needs === 'a_credential') return 'Every principal may call it, about itself.';
  if (needs === 'own_session')
    return 'It takes the session of a browser in which a person is signed in with all of its rights; no token and no program.';
  return `It needs the permission \`${needs}\`. A caller that holds it for a part of the organization acts in that part.`;
}

/** Whether the answer is a page of a list. */
export const isPaged = ({ method, query }: AnyRoute): boolean =>
  method === 'get' && query !== undefined && 'cursor' in query.shape;
