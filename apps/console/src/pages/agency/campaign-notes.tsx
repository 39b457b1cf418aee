import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { Avatar } from '../../parts/avatar.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import './creative.css';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Note = Answer<'GET /v1/notes'>['notes'][number];

/** The most characters of a note. */
const mostText = 2_000;

/** The notes about a campaign, the newest first. */
export const useNotes = (campaignId: string) =>
  usePages('GET /v1/notes', 'notes', { campaign_id: campaignId, sort: 'newest' });

/** What people wrote down about a campaign. Each changes and removes their own. */
export function CampaignNotes({
  campaign,
  notes,
}: {
  readonly campaign: Campaign;
  readonly notes: ReturnType<typeof useNotes>;
}) {
  const mayWrite = useMay()('clients.write');
  return (
    <div className="columns">
      <div className="column">
        {notes.isError && <ErrorPanel error={notes.error} />}
        {notes.isSuccess && notes.rows.length === 0 ? (
          <EmptyState title="No notes yet">
            What colleagues should know about this campaign stands here, with who wrote it.
            {!mayWrite &&
              ' To write one you need the permission clients.write; who holds a role for people can grant it.'}
          </EmptyState>
        ) : (
          <Panel title="Notes" about="for everybody who sees the campaign">
            <ul className="notes" aria-label="Notes about the campaign">
              {notes.rows.map((note) => (
                <OneNote key={note.note_id} note={note} mayWrite={mayWrite} />
              ))}
            </ul>
            {notes.hasNextPage && (
              <Button size="xs" variant="default" mt="md" onClick={() => void notes.fetchNextPage()}>
                Show older notes
              </Button>
            )}
          </Panel>
        )}
      </div>
      {mayWrite && (
        <div className="column">
          <AddNote campaignId={campaign.campaign_id} />
        </div>
      )}
    </div>
  );
}

function AddNote({ campaignId }: { readonly campaignId: string }) {
  const [text, setText] = useState('');
  const add = async (): Promise<void> => {
    await api('POST /v1/notes', { body: { campaign_id: campaignId, text: text.trim() } });
    setText('');
  };
  return (
    <ActForm
      title="Write a note"
      label="Add the note"
      act={add}
      done="The note is added."
      isReady={text.trim() !== ''}
    >
      <NoteField value={text} onChange={setText} />
    </ActForm>
  );
}

function NoteField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <Textarea
      label="Note"
      placeholder="What the client agreed, what to look at next"
      autosize
      minRows={3}
      maxLength={mostText}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function OneNote({ note, mayWrite }: { readonly note: Note; readonly mayWrite: boolean }) {
  const isOwn = useMe().data?.principal_id === note.written_by_id;
  const [draft, setDraft] = useState<string>();
  const author = note.written_by ?? 'Somebody who is gone';
  const params = { id: note.note_id };
  const change = async (): Promise<void> => {
    await api('POST /v1/notes/{id}', { params, body: { text: (draft ?? '').trim() } });
    setDraft(undefined);
  };
  return (
    <li>
      <Avatar of={author} size={26} isPerson />
      <div>
        <b>
          <Name of={author} most={60} />
        </b>
        <small>
          <Time at={note.created_at} />
          {note.changed_at !== null && (
            <>
              , changed <Time at={note.changed_at} />
            </>
          )}
        </small>
        {draft === undefined ? (
          <p>{clean(note.text, mostText)}</p>
        ) : (
          <ActForm
            label="Save the note"
            act={change}
            done="The note is changed."
            isReady={draft.trim() !== ''}
            also={
              <Button variant="default" onClick={() => setDraft(undefined)}>
                Cancel
              </Button>
            }
          >
            <NoteField value={draft} onChange={setDraft} />
          </ActForm>
        )}
        {isOwn && mayWrite && draft === undefined && (
          <Group gap="xs">
            <Button size="compact-xs" variant="default" onClick={() => setDraft(note.text)}>
              Edit
            </Button>
            <ConfirmButton
              label="Remove"
              size="compact-xs"
              variant="default"
              done="The note is removed."
              act={() => api('DELETE /v1/notes/{id}', { params })}
            >
              The note is gone for everybody. That it was written and removed stays in the audit record.
            </ConfirmButton>
          </Group>
        )}
      </div>
    </li>
  );
}
