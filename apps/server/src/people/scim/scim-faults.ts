/** A refusal as SCIM says it (RFC 7644, 3.12). */
export interface ScimFault {
  readonly status: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 429 | 500 | 501 | 503;
  readonly scimType?:
    | 'invalidFilter'
    | 'tooMany'
    | 'uniqueness'
    | 'mutability'
    | 'invalidSyntax'
    | 'invalidPath'
    | 'noTarget'
    | 'invalidValue';
  readonly detail: string;
  /** Whole seconds until a retry. */
  readonly retryAfter?: number;
}

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

export function faultBody({ status, scimType, detail }: ScimFault) {
  return { schemas: [errorSchema], status: String(status), ...(scimType && { scimType }), detail };
}

export const invalid = (detail: string, scimType: ScimFault['scimType'] = 'invalidValue'): ScimFault => ({
  ...{ status: 400, scimType, detail },
});
