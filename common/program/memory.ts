/**
 * Runs a full garbage collection and returns free memory to the system. Blocks for about 60 ms. Does nothing unless
 * Node runs with `--expose-gc`. Call it after rare work that leaves much garbage: what compiling schemas leaves stays
 * in the old generation until a full collection, which a small program may never reach.
 */
export const releaseMemory = (): void => globalThis.gc?.({ type: 'major', flavor: 'last-resort' })
