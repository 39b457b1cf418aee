import type { z } from 'zod';

/**
 * What a schema requires of a value that does not fit it, as words after `must be`: the same in answers to tasks and to
 * requests of the admin API. It never includes what was sent.
 */
export function requirementOf(issue: z.core.$ZodIssue | z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? `a value of type ${issue.expected}`;
    case 'invalid_value':
      return `${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return sized(issue, String(issue.minimum), 'more');
    case 'too_big':
      return sized(issue, String(issue.maximum), issue.origin === 'number' ? 'less' : 'fewer');
    case 'invalid_format':
      return formats[issue.format] ?? 'a text of the right format';
    case 'custom':
      return issue.message ?? 'a value that fits';
    default:
      return 'one of the shapes that are described for it';
  }
}

type SizeIssue = Pick<z.core.$ZodIssueTooSmall, 'origin' | 'exact'>;

function sized({ origin, exact }: SizeIssue, bound: string, how: 'more' | 'less' | 'fewer'): string {
  const rest = exact === true ? '' : ` or ${how}`;
  if (origin === 'array') return `a list of ${bound}${rest}`;
  return origin === 'string' ? `a text of ${bound} characters${rest}` : `${bound}${rest}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  url: 'an absolute URL',
  uuid: 'a UUID',
  email: 'an email address',
  base64: 'a text in Base64',
};
