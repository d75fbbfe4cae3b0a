import { ARGO_CONTROLLER } from './argo/argo-rollouts.ts'
import { buildMissing, controlPlaneArgs, findKubectl, missingIn, type Program, type Say, toBuild } from './binaries.ts'
import { cacheOf } from './go.ts'
import { supervisedBuild } from './go-build.ts'
import { GO_TOOLS, isGoTool } from './go-tools.ts'
import { fetchFiles, isFiles } from './modules.ts'
import type { Need } from './needs.ts'

/** Programs that are built into one folder. */
interface Batch extends Pick<Program, 'module' | 'args'> {
  readonly names: readonly string[]
}

const alone = ({ name, ...how }: Program): Batch => ({ names: [name], ...how })

async function batchesOf(need: Need): Promise<readonly Batch[]> {
  switch (need) {
    case 'controlPlane':
      return (await toBuild()).map((each) => ({ ...each, args: controlPlaneArgs }))
    case 'argoRollouts':
      return [alone(ARGO_CONTROLLER)]
    default:
      return isGoTool(need) ? [alone(GO_TOOLS[need])] : []
  }
}

/**
 * Builds and downloads what is missing of `needs`. Says what is being built, how many programs are left and how long
 * each took. @throws Error that says how to get Go, or why a build or a download failed
 */
export async function prepare(needs: readonly Need[], say: Say): Promise<void> {
  const batches = (await Promise.all(needs.map(batchesOf))).flat()
  const located = await Promise.all(
    batches.map(async ({ names, module, args }) => {
      const folder = `${await cacheOf(module)}/bin`
      const missing = (await missingIn(folder, names)).length
      return { folder, names, missing, build: supervisedBuild(module, args) }
    }),
  )
  for (const [index, { folder, names, build }] of located.entries()) {
    const after = located.slice(index + 1).reduce((sum, { missing }) => sum + missing, 0)
    await buildMissing(folder, names, { build, say, after })
  }
  for (const need of needs) if (isFiles(need)) await fetchFiles(need, say)
}

/** The path of kubectl. Builds it if it is missing, and nothing else. @throws Error that says how to get Go */
export const preparedKubectl = (say: Say): Promise<string> =>
  findKubectl((module) => ({ build: supervisedBuild(module, controlPlaneArgs), say }))
