import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** The entry files of the programs in the image, by the name of their bundle. */
export const PROGRAMS = {
  controller: join(import.meta.dirname, '../controller/main.ts'),
  webhook: join(import.meta.dirname, '../webhook/main.ts'),
} as const

/** Some libraries are CommonJS and load Node's modules with `require`, which an ES module does not have. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);"

/**
 * Takes Node's modules as `require` does. An `import` reads every export of such a module at once, and one of
 * `node:http` is a client for WebSockets, which no program uses. Without it and what `unusedClient` leaves out, the
 * controller is loaded in 0.34 s of a processor instead of 0.41, and with 85 MiB instead of 98.
 */
const builtinModules: Plugin = {
  name: 'builtin modules',
  setup({ onResolve, onLoad }) {
    const namespace = 'builtin-modules'
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace } : undefined,
    )
    onLoad({ filter: /^/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

/**
 * Leaves out what the programs do not use of the client for Kubernetes: its types and calls, which were a sixth of a
 * bundle. Its modules only declare things, but its package does not say so.
 */
const unusedClient: Plugin = {
  name: 'unused client',
  setup({ onResolve, resolve }) {
    onResolve({ filter: new RegExp(`^${CLIENT}$`) }, async ({ path, pluginData, ...from }) =>
      pluginData === CLIENT
        ? undefined
        : { ...(await resolve(path, { ...from, pluginData: CLIENT })), sideEffects: false },
    )
    // the client has 2,770 of these imports: to ask esbuild for each path took five times as long as all else
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer, resolveDir }) =>
      importer.includes(`/node_modules/${CLIENT}/`) ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    )
  },
}

const CLIENT = '@kubernetes/client-node'

/** Takes of undici what our own code uses. Its main module also loads a `fetch`, WebSockets, caches and mocks. */
const unusedOfUndici: Plugin = {
  name: 'unused of undici',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/undici\/index\.js$/ }, () => ({
      contents: `
        const Dispatcher = require('./lib/dispatcher/dispatcher')
        Object.assign(Dispatcher.prototype, require('./lib/api'))
        module.exports = {
          Agent: require('./lib/dispatcher/agent'),
          ProxyAgent: require('./lib/dispatcher/proxy-agent'),
        }`,
    }))
  },
}

interface BundleOptions {
  /** whether what is imported only when it is needed has files of its own; default: one file for each program */
  readonly isSplit?: boolean
  /** whether undici is only what the plugin needs; default: all, for the client for Kubernetes uses its `fetch` */
  readonly isOfPlugin?: boolean
}

/**
 * Writes each of `programs` into `folder` as one file, `NAME.mjs`, with everything that it imports. A process that
 * strips no types and resolves no packages starts faster and needs about 25 MiB less memory. Functions keep their
 * names, for stack traces.
 * @returns the paths of the written files
 * @throws Error that names an import that cannot be resolved
 */
export async function bundle(
  programs: Readonly<Record<string, string>>,
  folder: string,
  { isSplit = false, isOfPlugin = false }: BundleOptions = {},
): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: programs,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: isSplit,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    plugins: [builtinModules, unusedClient, ...(isOfPlugin ? [unusedOfUndici] : [])],
    minifyWhitespace: true, // removes comments: with one non-ASCII character, the source needs twice the memory
    lineLimit: 160,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
  })
  return Object.keys(metafile.outputs)
}
