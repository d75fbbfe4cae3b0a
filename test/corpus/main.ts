/** `npm run corpus [-- DIR|FILE …]`: forks every workload of the given manifests, or of the built-in ones. */
import { existsSync } from 'node:fs'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { commandLine } from '../../sandbox/command-line.ts'
import { startControlPlane } from '../../sandbox/control-plane.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { examine } from './examine.ts'
import { builtIn, specimensAt } from './specimen.ts'
import { tableOf } from './table.ts'

const USAGE = `npm run corpus [-- PATH …]

Forks every workload in the manifests at PATH (a folder or a file), to see what would go wrong.
Without PATH it does so with the manifests of the tests of Kubernetes and Argo Rollouts.

  --help`

const { positionals: paths, refuse } = commandLine(USAGE, { allowPositionals: true })
const missing = paths.filter((path) => !existsSync(path))
if (missing.length > 0) refuse(`no such file or folder: ${missing.join(', ')}`)
const say = (line: string): void => console.error(line)
const specimens = paths.length > 0 ? specimensAt(paths) : await builtIn()
const plane = await startControlPlane({ say, crds: await crds() })
try {
  if (specimens.some(({ text }) => /^kind: Rollout$/m.test(text))) await startArgoRollouts(plane)
  await install(plane)
  const report = await examine(plane, specimens, say)
  console.log(tableOf(report))
  if (report.forbidden.length > 0 || report.subjects.some(({ failures }) => failures.length > 0)) process.exitCode = 1
} finally {
  await plane.stop()
}
