#!/bin/sh
# Creates the namespace TEMPORAL_NAMESPACE on the server TEMPORAL_ADDRESS, or gives an existing one the same retention and
# search attributes. They must exist before the workers start: setting an unregistered attribute blocks a workflow.
set -eu

attempts=60
until temporal operator cluster health >/dev/null 2>&1; do
  attempts=$((attempts - 1))
  if [ "$attempts" -eq 0 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS does not answer." >&2
    exit 1
  fi
  sleep 1
done

temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d 2>/dev/null ||
  temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention 30d

# It takes a moment until the server's caches contain a new namespace.
attempts=30
until temporal operator search-attribute create \
  --name BatchgateState --type Keyword \
  --name BatchgateDomain --type Keyword \
  --name BatchgateSession --type Keyword; do
  attempts=$((attempts - 1))
  if [ "$attempts" -eq 0 ]; then exit 1; fi
  sleep 1
done
