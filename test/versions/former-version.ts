/** A former version of the product, taken from the history of this repository. */
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstallOptions } from '../../sandbox/installation.ts'
import { run } from '../../sandbox/run.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What is needed to install a former version. */
interface FormerVersion {
  readonly crds: readonly string[]
  readonly options: InstallOptions
  readonly remove: () => Promise<void>
}

async function done(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await run(command, args, { cwd })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr.trim()}`)
}

/**
 * Checks out `commit` beside this repository and bundles its programs, with its own dependencies where those differ.
 * @throws Error that says which command failed, for example because a shallow clone does not have the commit
 */
async function formerVersion(commit: string, settings: InstallOptions['settings']): Promise<FormerVersion> {
  const folder = join(await mkdtemp(join(tmpdir(), 'former-version-')), 'checkout')
  await done('git', ['worktree', 'add', '--detach', folder, commit], ROOT)
  const lockOf = (root: string) => readFile(join(root, 'package-lock.json'), 'utf8')
  if ((await lockOf(folder)) === (await lockOf(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else await done('npm', ['ci', '--no-audit', '--no-fund'], folder)
  await done(process.execPath, ['build/main.ts'], folder)
  const installation: typeof import('../../sandbox/installation.ts') = await import(
    join(folder, 'sandbox/installation.ts')
  )
  return {
    crds: await installation.crds(),
    options: {
      overlay: join(folder, 'sandbox/with-all'),
      argsOf: (name) => [join(folder, 'dist', `${name}.mjs`)],
      kindProbeSeconds: 2,
      ...(settings && { settings }),
    },
    async remove() {
      await done('git', ['worktree', 'remove', '--force', folder], ROOT)
      await rm(join(folder, '..'), { recursive: true, force: true })
    },
  }
}

/** In a `describe`: a former version is there while its tests run. Returns a function that returns it. */
export function usesFormerVersion(commit: string, settings: InstallOptions['settings']): () => FormerVersion {
  let former: FormerVersion | undefined
  before('the former version is bundled', async function () {
    this.timeout(0) // npm may have to download what it depends on
    former = await formerVersion(commit, settings)
  })
  after('it is removed', () => former?.remove())
  return () => {
    if (!former) throw new Error('the former version is there while tests run, not while they are described')
    return former
  }
}
