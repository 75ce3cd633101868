-- The roles and databases of one PostgreSQL server for Temporal and batchgate. PostgreSQL's image runs this once, with
-- psql, when its volume is new; a password that is changed later is changed with `alter role`.
\getenv temporal_password TEMPORAL_DB_PASSWORD
\getenv batchgate_password BATCHGATE_DB_PASSWORD

create role temporal login password :'temporal_password';
create role batchgate login password :'batchgate_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
create database batchgate owner batchgate;

-- Histories hold people's things, and the ledger says what may still run: neither role may look at the other's.
revoke connect on database temporal, temporal_visibility, batchgate from public;
