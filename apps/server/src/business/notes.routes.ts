import type { ClientRepository } from '@switchyard/buys';
import { lists, type NoteRepository } from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { campaignIn, noCampaign } from './campaign-in.js';
import { writing } from './clients.routes.js';

interface NotesDeps extends ListDeps {
  readonly notes: NoteRepository;
  readonly clients: ClientRepository;
  readonly clock: Clock;
  readonly newId: () => string;
}

const mostNotes = 500;
/** As `plainText`, of several lines. */
const noteText = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1)
  .max(2_000)
  .regex(
    /^(?:\n|[^\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}])*$/u,
    'must be text without control characters and direction marks',
  );

const example = {
  note_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d13',
  campaign_id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d12',
  campaign: 'City bikes autumn',
  text: 'The client moves the last week to January. Ask for the new PO first.',
  written_by: 'Tina Ferrara',
  written_by_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  created_at: '2026-11-26T09:00:00.000Z',
  changed_at: null,
};

const { view, routes: listed } = resource(lists.noteList, {
  noun: 'note',
  plural: 'notes',
  area: 'clients',
  summary: 'Notes of people about campaigns',
  example,
  command: {
    title: 'notes of people about campaigns',
    summary: 'list notes, oldest first',
    columns: {
      Note: 'note_id',
      Campaign: 'campaign',
      Text: 'text',
      'Written by': 'written_by',
      At: 'created_at',
    },
    none: 'There are no notes.',
  },
});

const route = routesOn<NotesDeps>();

/** Notes about campaigns: each belongs to its author, who alone changes or removes it. */
export const noteRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/notes',
    id: 'add_note',
    summary: 'Write a note about a campaign, for everybody who sees the campaign',
    needs: 'clients.write',
    byPerson: true,
    body: z.strictObject({ campaign_id: z.uuid(), text: noteText }),
    answer: view,
    status: 201,
    example,
    handle: async (deps, { caller, body: { campaign_id: campaignId, text } }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), campaignId);
      if (campaign === undefined) return err(noCampaign);
      const note = { id: deps.newId(), campaignId: campaign.id, text, by: caller.principalId };
      const isAdded = await deps.notes.add(scopeOf(caller), note, deps.clock.now(), mostNotes);
      return isAdded ? shown(deps, caller, note.id) : err(tooMany);
    },
  }),
  route({
    method: 'post',
    path: '/v1/notes/{id}',
    id: 'change_note',
    summary: 'Change the text of a note of your own',
    needs: 'clients.write',
    byPerson: true,
    body: z.strictObject({ text: noteText }),
    answer: view,
    example: { ...example, changed_at: '2026-11-26T09:12:00.000Z' },
    handle: async (deps, { caller, params: { id }, body: { text } }) => {
      if ((await rowIn(deps, caller, id)) === undefined) return err(noNote);
      const note = { id, text, by: caller.principalId };
      const isChanged = await deps.notes.change(scopeOf(caller), note, deps.clock.now());
      return isChanged ? shown(deps, caller, id) : err(notYours);
    },
  }),
  route({
    method: 'delete',
    path: '/v1/notes/{id}',
    id: 'remove_note',
    summary: 'Remove a note of your own',
    needs: 'clients.write',
    byPerson: true,
    answer: z.strictObject({ note_id: z.string(), removed: z.literal(true) }),
    handle: async (deps, { caller, params: { id } }) => {
      if ((await rowIn(deps, caller, id)) === undefined) return err(noNote);
      const isRemoved = await deps.notes.remove(scopeOf(caller), { id, by: caller.principalId });
      return isRemoved ? ok({ note_id: id, removed: true as const }) : err(notYours);
    },
  }),
];

const noNote: AdminFailure = { code: 'NOT_FOUND', message: 'There is no note with this id.', field: 'id' };
const notYours: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'Somebody else wrote this note.',
  field: 'id',
  suggestion: 'Ask its author to change it, or write a note of your own.',
};
const tooMany: AdminFailure = {
  code: 'CONFLICT',
  message: `A campaign has ${mostNotes} notes at most.`,
  field: 'campaign_id',
  suggestion: 'Remove notes that are no longer needed.',
};

/** A note about a campaign that the caller may change. */
const rowIn = ({ lists: reader }: ListDeps, caller: PrincipalCaller, id: string) =>
  reader.one(caller, lists.noteList, reachOf(caller, 'clients', 'write'), id);

async function shown(
  deps: ListDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<z.output<typeof view>, AdminFailure>> {
  const row = await rowIn(deps, caller, id);
  return row === undefined ? err(noNote) : ok(view.parse(shownRow(lists.noteList, row)));
}
