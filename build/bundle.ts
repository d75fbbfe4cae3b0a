import { join } from 'node:path'
import { build } from 'esbuild'

/** The programs of an image, by the name of their bundle. */
export const PROGRAMS = {
  controller: join(import.meta.dirname, '../controller/main.ts'),
  webhook: join(import.meta.dirname, '../webhook/main.ts'),
} as const

/** Some libraries are CommonJS and ask for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/**
 * Writes each of `programs` into `folder` as one file, `NAME.mjs`, with all that it imports: a process that strips no
 * types and resolves no packages starts sooner, and is some 25 MiB smaller. Functions keep their names, for stacks.
 * @returns bytes by file
 * @throws Error with what cannot be resolved
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
    minifyWhitespace: true, // one character beyond ASCII, in a comment, would double the source in memory
    lineLimit: 160,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
  })
  return new Map(Object.entries(metafile.outputs).map(([file, { bytes }]) => [file, bytes]))
}
