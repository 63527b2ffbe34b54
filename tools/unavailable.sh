# What checks do whose tools come from package registries: sourced by them.

# Exit status when a tool cannot be had: nothing is said about what was to be checked then.
UNAVAILABLE=75
unavailable() {
  echo "Not checked: $1 cannot be had here." >&2
  exit "$UNAVAILABLE"
}
