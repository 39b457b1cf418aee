-- Which credentials of sellers end soon is asked again and again, for each organization.
create index credential_ends on credential (organization_id, least(ends_at, retired_at)) where seller is not null;
