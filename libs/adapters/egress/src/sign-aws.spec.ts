import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { signedForAws } from './sign-aws.js';

const key = {
  id: 'AKIAIOSFODNN7EXAMPLE',
  secret: new Secret(Buffer.from('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')),
};

describe('a signature for AWS', () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Example: PUT Object".
  it('is that of the published example', () => {
    const signed = signedForAws(
      {
        method: 'PUT',
        url: new URL('https://examplebucket.s3.amazonaws.com/test%24file.text'),
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        bodyHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      },
      { key, region: 'us-east-1', service: 's3', at: Date.UTC(2013, 4, 24) },
    );
    expect(signed['authorization']).toMatch(
      /Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd$/,
    );
    expect(JSON.stringify(signed)).not.toContain('wJalr');
  });
});
