#!/bin/sh
# Creates or upgrades Temporal's tables, and changes nothing if they are up to date. SQL_HOST, SQL_PORT, SQL_USER and
# SQL_PASSWORD name the database. The tool contains the schema of its own version, so its version must be the server's.
set -eu

upgrade() {
  temporal-sql-tool --plugin postgres12 --db "$1" setup-schema --version 0.0
  temporal-sql-tool --plugin postgres12 --db "$1" update-schema --schema-name "$2"
}

upgrade temporal postgresql/v12/temporal
upgrade temporal_visibility postgresql/v12/visibility
