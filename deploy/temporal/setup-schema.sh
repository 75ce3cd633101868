#!/bin/sh
# Makes or upgrades Temporal's tables; nothing happens when they are up to date. SQL_HOST, SQL_PORT, SQL_USER and
# SQL_PASSWORD say where. The tool carries the schema of its own version, so its version is the server's.
set -eu

upgrade() {
  temporal-sql-tool --plugin postgres12 --db "$1" setup-schema --version 0.0
  temporal-sql-tool --plugin postgres12 --db "$1" update-schema --schema-name "$2"
}

upgrade temporal postgresql/v12/temporal
upgrade temporal_visibility postgresql/v12/visibility
