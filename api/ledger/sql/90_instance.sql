-- Which cluster this is: transaction ids of another one mean nothing here. Stable, unlike what it reads, so that queries
-- that name it are planned as a whole.
create or replace function erp_instance() returns text language sql stable
return (select system_identifier::text from pg_control_system());
