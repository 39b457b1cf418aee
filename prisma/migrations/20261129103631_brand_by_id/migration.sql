-- runs with: 20261129093000_one_spelling_of_a_brand
-- outside a transaction
create index concurrently if not exists "brand_organization_id_brand_id_domain_idx" on "brand" ("organization_id", "brand_id", "domain");
