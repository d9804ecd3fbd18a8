#!/usr/bin/env bash
# Sends requests to a server, one after the other, and counts the status codes.
set -euo pipefail

# ANCHOR: ask
ask() {
    curl --silent --output /dev/null --write-out '%{http_code}\n' "$1"
}
# ANCHOR_END: ask

for _ in $(seq "${2:-20}"); do
    ask "$1"
done | sort | uniq -c
