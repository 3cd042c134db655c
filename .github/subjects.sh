#!/usr/bin/env bash
# Fails if the subject of a commit since $1 has more than 72 characters. Without a usable $1, the last commit is looked at.
set -euo pipefail

since=${1:-}
range=HEAD~1..HEAD
if [ -n "$since" ] && git cat-file -e "$since^{commit}" 2>/dev/null; then range="$since..HEAD"; fi

long=$(git log --no-merges --format='%h %s' "$range" | awk '{ subject = substr($0, index($0, " ") + 1); if (length(subject) > 72) print }')
if [ -n "$long" ]; then
  printf 'These subjects have more than 72 characters:\n%s\n' "$long"
  exit 1
fi
