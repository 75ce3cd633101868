#!/bin/sh
# Makes the namespace of TEMPORAL_NAMESPACE on the server of TEMPORAL_ADDRESS, or brings the one that is there to the same
# retention and search attributes. A workflow that sets an attribute nobody registered stands still, so they come first.
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

# A new namespace reaches the server's caches a little later.
attempts=30
until temporal operator search-attribute create \
  --name BatchgateState --type Keyword \
  --name BatchgateDomain --type Keyword \
  --name BatchgateSession --type Keyword; do
  attempts=$((attempts - 1))
  if [ "$attempts" -eq 0 ]; then exit 1; fi
  sleep 1
done
