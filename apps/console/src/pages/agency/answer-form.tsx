import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, type Answer, type JsonObject, type JsonValue } from '../../api/client.js';
import { isObject, textAt } from '../../api/task.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { clean } from '../../parts/name.js';

type Approval = Answer<'GET /v1/approvals'>['approvals'][number];

/** The fields that a seller requests, from the schema of its question; a plain message if it sent no schema. */
export function AnswerForm({ approval }: { readonly approval: Approval }) {
  const client = useQueryClient();
  const fields = fieldsOf(approval.question);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const answer = Object.fromEntries(
        fields.map(({ name, type }) => [name, valueOf(values[name] ?? '', type)]),
      );
      await api('POST /v1/approvals/{id}/answer', {
        params: { id: approval.approval_id ?? '' },
        body: { answer },
      });
      await client.invalidateQueries({ queryKey: ['approvals'] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} aria-label="Answer the seller">
      <Stack gap="xs">
        <Text size="sm">
          {clean(textAt(approval.question?.['message']) || 'The seller asks for this:', 1_000)}
        </Text>
        {fields.map(({ name, label, about, isRequired }) => {
          const shared = {
            label: clean(label),
            description: clean(about, 300),
            required: isRequired,
            value: values[name] ?? '',
          };
          const set = (value: string): void => setValues((old) => ({ ...old, [name]: value }));
          return name === 'message' ? (
            <Textarea key={name} {...shared} onChange={({ currentTarget }) => set(currentTarget.value)} />
          ) : (
            <TextInput key={name} {...shared} onChange={({ currentTarget }) => set(currentTarget.value)} />
          );
        })}
        {error !== undefined && <ErrorPanel error={error} />}
        <Group>
          <Button type="submit" size="xs" loading={isBusy}>
            Send the answer
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function fieldsOf(question: JsonObject | undefined) {
  const schema = isObject(question?.['schema']) ? question['schema'] : (question ?? {});
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly JsonValue[]) : [];
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    label: (isObject(property) && textAt(property['title'])) || name.replaceAll('_', ' '),
    about: isObject(property) ? textAt(property['description']) : '',
    type: isObject(property) ? textAt(property['type']) : 'string',
    isRequired: required.includes(name),
  }));
  return fields.length > 0
    ? fields
    : [{ name: 'message', label: 'Answer', about: '', type: 'string', isRequired: true }];
}

function valueOf(text: string, type: string): JsonValue {
  if (type === 'boolean') return /^(yes|true|1)$/i.test(text.trim());
  return (type === 'number' || type === 'integer') && text.trim() !== '' ? Number(text) : text;
}
