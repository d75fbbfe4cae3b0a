import { join } from 'node:path'
import { build } from 'esbuild'

/** The entry files of the programs in the image, by the name of their bundle. */
export const PROGRAMS = {
  controller: join(import.meta.dirname, '../controller/main.ts'),
  webhook: join(import.meta.dirname, '../webhook/main.ts'),
} as const

/** Some libraries are CommonJS and load Node's modules with `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/**
 * Writes each of `programs` into `folder` as one file, `NAME.mjs`, with everything that it imports. A process that
 * strips no types and resolves no packages starts faster and needs about 25 MiB less memory. Functions keep their
 * names, for stack traces.
 * @returns the size of each written file in bytes
 * @throws Error that names an import that cannot be resolved
 */
export async function bundle(
  programs: Readonly<Record<string, string>>,
  folder: string,
): Promise<ReadonlyMap<string, number>> {
  const { metafile } = await build({
    entryPoints: programs,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    minifyWhitespace: true, // removes comments: with one non-ASCII character, the source needs twice the memory
    lineLimit: 160,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
  })
  return new Map(Object.entries(metafile.outputs).map(([file, { bytes }]) => [file, bytes]))
}
