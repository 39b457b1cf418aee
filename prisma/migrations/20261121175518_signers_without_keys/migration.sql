-- A signer without keys is one that can sign nothing, and harms nobody; two ways to keys are still refused.
alter table principal_signer drop constraint principal_signer_one_way_to_keys;
alter table principal_signer add constraint principal_signer_one_way_to_keys check (
  num_nonnulls(jwks_uri, jwks, agent_protocol) <= 1
  and (agent_protocol is null or agent_protocol in ('mcp', 'a2a'))
  and (found_jwks_uri is null or agent_protocol is not null)
);
