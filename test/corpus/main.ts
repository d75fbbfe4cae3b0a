/** `npm run corpus [-- DIR|FILE …]`: forks every workload of the given manifests, or of the built-in ones. */
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { startControlPlane } from '../../sandbox/control-plane.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { examine } from './examine.ts'
import { builtIn, specimensAt } from './specimen.ts'
import { tableOf } from './table.ts'

const paths = process.argv.slice(2)
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
