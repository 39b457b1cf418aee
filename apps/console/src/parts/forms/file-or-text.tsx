import { FileInput, Textarea } from '@mantine/core';

/** The text of a file that is chosen, or that is pasted. */
export function FileOrText({
  label,
  description,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const choose = async (file: File | null): Promise<void> => onChange((await file?.text()) ?? '');
  return (
    <>
      <FileInput
        label={label}
        description={description}
        placeholder="Choose a file"
        accept=".json"
        clearable
        clearButtonProps={{ 'aria-label': 'No file' }}
        onChange={(file) => void choose(file)}
      />
      <Textarea
        label="Or its text"
        placeholder={placeholder}
        autosize
        minRows={3}
        maxRows={12}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </>
  );
}

/** Parses such a text. Throws an error that is shown to people if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The text is not JSON.');
  }
}
