/** `node test/fuzz/main.ts admission [COUNT] [SEED]`: whether the webhook and the API server decide alike. */

import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { aNamespace, controlPlane, mochaGlobalTeardown } from '../../integration/fixture.ts'
import { withRolloutCrds } from '../../integration/rollout-crds.ts'
import { openCourt } from './court.ts'
import type { Judged } from './judge.ts'
import { judgeMany } from './run.ts'
import { groupsOf, tableOf, type Verdict } from './table.ts'

/** Judges `count` overrides of each kind by a control plane of its own, and prints what differs. */
export async function fuzzAdmission(count: number, seed: number): Promise<void> {
  console.log(`fuzz admission: ${count} overrides per kind, seed ${seed}`)
  try {
    const plane = await controlPlane()
    await withRolloutCrds(plane.api)
    const opened = await openCourt(plane, await aNamespace())
    const all: Judged[] = []
    for (const kind of Object.keys(WORKLOAD_KINDS) as SourceKind[])
      all.push(...(await judgeMany(opened, kind, { count, seed })))
    for (const verdict of ['refused by design', 'false refusal', 'false admit'] satisfies Verdict[])
      console.log([`\n## ${verdict}`, ...groupsOf(all, verdict)].join('\n'))
    console.log(['', ...tableOf(all)].join('\n'))
    await opened.close()
  } finally {
    await mochaGlobalTeardown()
  }
}
