#!/bin/sh
# Starts an operation, shows and runs its first batch, and cancels the rest, with Temporal's command line alone.
set -eu

id="bulk-cli-$$"
temporal workflow start --type bulkOperation --task-queue batchgate --workflow-id "$id" --input '{
  "domain": "gmail",
  "action": "label",
  "params": { "sender": "news@northwind-weekly.example", "label_name": "From a script", "create_label": true },
  "requested_by": "one-batch.sh"
}'
temporal workflow update execute --workflow-id "$id" --name ready
temporal workflow query --workflow-id "$id" --type items --input '{ "outcome": "pending", "limit": 10 }'
temporal workflow update execute --workflow-id "$id" --name continue --update-id "$id-batch-1" \
  --input '{ "batch": 1, "attempt": 1, "by": "one-batch.sh" }'
temporal workflow signal --workflow-id "$id" --name cancel --input '{ "reason": "one batch was enough" }'
temporal workflow result --workflow-id "$id"
