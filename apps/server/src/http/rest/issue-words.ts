import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  url: 'an address (URL)',
  email: 'an email address',
  base64: 'text in Base64',
};

/** The problem of a member, as text after its name; undefined if the schema has its own message. */
export function issueWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'of another form'}`;
    case 'unrecognized_keys':
      return 'is not a known member';
    case 'invalid_union':
      return 'matches none of the allowed forms';
    case 'too_small':
    case 'too_big':
      return sizeWords(issue);
    default:
      return undefined;
  }
}

function sizeWords(issue: Extract<Issue, { readonly code: 'too_small' | 'too_big' }>): string {
  const isSmall = issue.code === 'too_small';
  const bound = String(isSmall ? issue.minimum : issue.maximum);
  const unit = { string: ' characters', array: ' items' }[issue.origin as string];
  if (unit === undefined) return `must be ${bound} or ${isSmall ? 'more' : 'less'}`;
  if (isSmall && bound === '1') return 'is empty';
  const how = issue.exact === true ? 'exactly' : isSmall ? 'at least' : 'at most';
  return `must have ${how} ${bound}${unit}`;
}
