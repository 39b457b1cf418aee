import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Cases of governance. One touches buys of several clients, so they need reach on everything. */
export const caseList = list({
  from: 'governance_case g',
  id: 'case_id',
  fields: {
    case_id: { sql: 'g.id', kind: 'id' },
    kind: {
      sql: 'g.kind',
      kind: [
        'rights_revoked',
        'rights_ended',
        'property_list_changed',
        'collection_list_changed',
        'content_checked',
        'content_standards_changed',
        'creative_stopped',
        'publisher_withdrew',
      ],
      filter: 'eq',
    },
    subject: {
      sql: 'g.subject',
      kind: 'text',
      filter: 'eq',
      describe:
        'The id of the grant, of the list, of the standards or of the creative, or the domain of the publisher.',
    },
    owner: {
      sql: 'g.owner',
      kind: 'text',
      filter: 'eq',
      describe:
        'The slug of the agent that decides; the domain of a publisher, or of an agent that is not connected.',
    },
    state: {
      sql: 'g.state',
      kind: ['open', 'acting', 'asked', 'done'],
      filter: 'eq',
      describe: 'open waits for its deadline; asked needs a person.',
    },
    reason: { sql: 'g.reason', kind: 'text', describe: 'In the words of its owner.' },
    deadline: {
      sql: 'g.deadline',
      kind: 'instant',
      describe:
        'Of rights: nothing may be delivered from then on. Of others: until when a person may answer.',
    },
    changes: {
      sql: 'g.changes',
      kind: 'json',
      none: 'absent',
      describe:
        'Of a list or of standards: what changed, as its owner told it and as it was read there. Of content: the batch and its verdicts.',
    },
    buys: { sql: 'g.buys', kind: 'json', describe: 'The packages that it has touched.' },
    actions: { sql: 'g.actions', kind: 'json', describe: 'What was done, in order.' },
    created_at: { sql: 'g.created_at', kind: 'instant' },
    updated_at: { sql: 'g.updated_at', kind: 'instant' },
  },
  orders: {
    newest: byTime('g.created_at', { column: 'g.id', isDescending: true }),
    oldest: byTime('g.created_at', { column: 'g.id', isDescending: true }, 'oldest'),
  },
  time: 'g.created_at',
  reach: 'organization',
});
