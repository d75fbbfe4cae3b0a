/** What unfinished analyses have counted, before and after the programs were replaced. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeRun } from '../../common/analysis/kinds/run.ts'
import { METRIC_ENGINES } from '../../common/analysis/metrics/registry.ts'
import { ANALYSIS_RUN } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { Place } from '../integration/product.ts'
import { ANALYSES, UNFINISHED } from './analysis-states.ts'

/** Of each unfinished analysis: the name of its experiment, its first metric, and its message. */
export async function evidenceIn({ api, namespace }: Place) {
  const runs = await api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace }))
  return runs.flatMap((stored) => {
    const decoded = decodeRun(stored)
    if (decoded.is === 'malformed') throw new Error(JSON.stringify(decoded.errors))
    const { spec, status } = decoded.run
    const [metric] = status?.metrics ?? []
    const { name } = spec.experiment
    return metric && name in UNFINISHED ? [{ name, metric, message: status?.message }] : []
  })
}

type Evidence = Awaited<ReturnType<typeof evidenceIn>>

/** Analysis runs as the former version has stored them, one in each line. */
const STORED = join(import.meta.dirname, '../common/analysis/run/former-runs.jsonl')

/** Replaces what tests in memory read: all runs of the analyses that are here. */
export async function writeRuns({ api, namespace }: Place): Promise<void> {
  const runs = await api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace }))
  const lines = runs
    .filter(({ spec }) => String(at(spec, 'experiment', 'name')) in ANALYSES)
    .map(({ metadata: { name, uid, creationTimestamp }, spec, status }) =>
      JSON.stringify({ metadata: { name, namespace, uid, creationTimestamp }, spec, status }),
    )
  await writeFile(STORED, `${lines.toSorted().join('\n')}\n`)
}

const TOLD = 'another version of the controller had begun, so windows count only since'

/** The version of the numbers that a metric remembers; 0: a former CRD has removed them. */
const versionIn = ({ metric: { memory, state } }: Evidence[number]): number =>
  memory?.version ?? Number(state !== undefined)

/** The version of the numbers of each unfinished analysis, by the name of its experiment. */
export const versionsIn = (evidence: Evidence): Readonly<Record<string, number>> =>
  Object.fromEntries(evidence.map((each) => [each.name, versionIn(each)]))

/** The same, as the present version of the controller writes them. */
export const PRESENT_VERSIONS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(UNFINISHED).map(([name, { kind }]) => [name, METRIC_ENGINES[kind].version]),
)

/**
 * Expects that evidence goes on where its numbers have the version that they had `before`, and that elsewhere only
 * windows since then count, which the message says if the controller knows versions.
 */
export function expectOwnEvidence(before: Evidence, after: Evidence, versions: Readonly<Record<string, number>>): void {
  for (const evidence of [before, after])
    expect(evidence.map(({ name }) => name)).to.have.members(Object.keys(UNFINISHED))
  for (const now of after) {
    const { name, metric, message } = now
    const old = before.find((each) => each.name === name) ?? now
    const text = JSON.stringify({ name, old: old.metric.samples, metric, message })
    const [had, has] = [old, now].map((each) => each.metric.samples?.treatment ?? 0)
    const [fromMs = 0, toMs = 0] = [old, now].map((each) => Date.parse(each.metric.windowEnd ?? ''))
    expect(had, text).to.be.above(0)
    expect(versionIn(now), text).to.equal(versions[name])
    expect(metric.state === undefined, text).to.equal(versionIn(now) > 1)
    if (versionIn(now) === versionIn(old)) expect(has, text).to.be.above(had ?? 0)
    else expect(has, text).to.be.within(1, ((UNFINISHED[name]?.perWindow ?? 0) * (toMs - fromMs)) / 10_000 + 1)
    if (versionIn(now) === 1) expect(message, text).not.to.contain(TOLD)
    else if (versionIn(now) !== versionIn(old)) expect(message, text).to.contain(`${TOLD} ${metric.memory?.since}`)
  }
}
