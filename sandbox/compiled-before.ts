import { resolve } from 'node:path'

/**
 * Variables with which a program of Node takes over what earlier ones have compiled and stripped of types. That is kept
 * below `folder`. A start then takes 0.1 s less of a processor from a bundle, and a second less from the sources. Not
 * for a program whose memory or coverage is measured: the image has no such folder.
 */
export const compiledBefore = (folder: string): { readonly NODE_COMPILE_CACHE: string } => ({
  NODE_COMPILE_CACHE: resolve(folder, 'compiled'),
})
