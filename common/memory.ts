/**
 * Gives back what is no longer used, as far as Node can: `--expose-gc` has to be among its flags, else nothing happens.
 * Blocks for some 60 ms. To be called after the rare work that leaves much behind: what compiling schemas drops stays
 * in the old generation, and in the process, until a full collection that a small program may never see.
 */
export const releaseMemory = (): void => globalThis.gc?.({ type: 'major', flavor: 'last-resort' })
