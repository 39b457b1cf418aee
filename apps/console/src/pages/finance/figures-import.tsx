import { List, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ImportForm } from './import-form.js';
import { bindText } from '../../parts/forms/bind-text.js';
import { clean } from '../../parts/name.js';

type Imported = Answer<'POST /v1/figures/import'>;
type Questions = NonNullable<Imported['questions']>;

const fields = {
  media_buy_id: 'Media buy id',
  package_id: 'Package id',
  day: 'Day',
  last_day: 'Last day',
  spend: 'Spend',
  impressions: 'Impressions',
  viewable_impressions: 'Viewable impressions',
  clicks: 'Clicks',
  completed_views: 'Completed views',
  views: 'Views',
  conversions: 'Conversions',
  currency: 'Currency',
  seller: 'Seller',
};
const ofFile = { currency: 'As USD', seller: 'Its short name' };

/** Imports third-party figures: the mapping of columns, a preview, and then storing them. */
export function FiguresImport() {
  const [source, setSource] = useState('');
  const [questions, setQuestions] = useState<Questions>([]);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const said = Object.fromEntries(Object.entries(answers).filter(([, option]) => option !== ''));
  return (
    <ImportForm
      title="Import figures of a third party"
      label="Store the figures"
      fileLabel="File of figures"
      about="What an ad server or a measurement vendor counted, a row for each buy, package and day or month. Without a column of amounts they are computed: what was counted at the price of each package. It stands beside what the seller reported from the next comparison on; a later file of the same source takes its place."
      command="npx switchyard figures import FILE --source NAME"
      fields={fields}
      ofFile={ofFile}
      isFilledIn={source.trim() !== ''}
      send={async (body) => {
        const asked = Object.keys(said).length > 0 && { answers: said };
        const read = await api('POST /v1/figures/import', {
          body: { source: source.trim(), ...body, ...asked },
        });
        setQuestions((known) => [
          ...known.filter(({ id }) => id in said),
          ...(read.questions ?? []).filter(({ id }) => !(id in said)),
        ]);
        return read;
      }}
      say={(read) => <Read of={read} />}
    >
      <TextInput
        label="Source"
        description="Who counted: small letters, digits, dots and hyphens"
        placeholder="adserver"
        {...bindText(source, setSource)}
      />
      {questions.map(({ id, why, options }) => (
        <NativeSelect
          key={id}
          label={clean(why, 400)}
          data={[
            { value: '', label: 'Choose' },
            ...options.map(({ option, example }) => ({
              value: option,
              label: `${clean(option, 60)}: ${clean(example, 80)}`,
            })),
          ]}
          value={answers[id] ?? ''}
          onChange={({ currentTarget: { value } }) => setAnswers((old) => ({ ...old, [id]: value }))}
        />
      ))}
    </ImportForm>
  );
}

/** What was read or stored, and from what amounts were computed. */
function Read({
  of: { lines, import_id: id, computed = [], left_out: leftOut = [], questions = [] },
}: {
  readonly of: Imported;
}) {
  const asked = questions.length > 0 ? ' The file leaves something open: choose an answer above.' : '';
  return (
    <>
      {`Rows: ${lines}. ${id === null ? `Nothing is stored yet.${asked}` : 'They are stored: compare the month again.'}`}
      {computed.length > 0 && <Text size="sm">The file has no amounts. They are computed:</Text>}
      <List size="sm">
        {computed.map(({ row, package_id: of, basis, amount, currency }) => (
          <List.Item key={row}>{`Row ${row}, ${clean(of, 60)}: ${basis} = ${amount} ${currency}`}</List.Item>
        ))}
        {leftOut.map(({ row, reason }) => (
          <List.Item key={row}>{`Row ${row} is left out: ${clean(reason)}`}</List.Item>
        ))}
      </List>
    </>
  );
}
