/**
 * The program that kubectl asks to complete the words of this one. It must be in a folder of `$PATH` under the name
 * `kubectl_complete-experiment`, and executable.
 */
export const COMPLETION_SCRIPT = `#!/bin/sh
# kubectl_complete-experiment: kubectl asks this program to complete "kubectl experiment".
exec kubectl-experiment __complete "$@"
`
