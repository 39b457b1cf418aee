-- runs with: 20261123168000_invoices_and_periods
-- Sellers, principals, signers, keys and credentials are listed in pages, by time as well as by name.

create index connection_organization_id_created_at_id_idx on connection (organization_id, created_at, id);
create index principal_organization_id_created_at_id_idx on principal (organization_id, created_at, id);
create index principal_signer_organization_id_created_at_id_idx on principal_signer (organization_id, created_at, id);
create index signing_key_organization_id_created_at_kid_idx on signing_key (organization_id, created_at, kid);
create index credential_organization_id_created_at_credential_id_version_idx
  on credential (organization_id, created_at, credential_id, version);
