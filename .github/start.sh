#!/usr/bin/env bash
# Starts the gateway as the README says, waits for its health, and stops it.
set -euo pipefail
npm start -- --ephemeral &
gateway=$!
curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8787/v1/health
kill -TERM "$gateway"
wait "$gateway" || [ $? -eq 143 ]
