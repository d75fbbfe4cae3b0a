import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { sizeOf } from '../../../common/scaling/size.ts'
import { aDeployment, aStatefulSet, UID } from '../../builders.ts'

const aSource = (replicas: number, label?: string) =>
  aDeployment({ spec: { replicas }, ...(label === undefined ? {} : { labels: { [SCALED]: label } }) })
const { replicas, ...spec } = aDeployment().spec as { readonly replicas: number }

const cases: Readonly<Record<string, readonly [source: KubeObject, wanted: number, now: number]>> = {
  'of a source that nobody scaled are its replicas': [aSource(5), 5, 5],
  'of a source without replicas are 1, as in Kubernetes': [{ ...aDeployment(), spec }, 1, 1],
  'of a source that was made smaller differ': [aSource(1, `${UID}.5.1`), 5, 1],
  'of a source that has all of its pods again are equal': [aSource(5, `${UID}.5.5`), 5, 5],
  'are the number that another hand has set since': [aSource(3, `${UID}.5.1`), 3, 3],
  'are the number that another hand has set, also if that is what the source had': [aSource(5, `${UID}.5.1`), 5, 5],
  'are 0 if another hand has set that': [aSource(0, `${UID}.5.1`), 0, 0],
  'do not follow from a label that is not ours': [aSource(1, `${UID}.many.1`), 1, 1],
  'do not follow from the label of a StatefulSet': [
    { ...aStatefulSet({ spec: { replicas: 1 } }), metadata: { name: 'cart', labels: { [SCALED]: `${UID}.5.1` } } },
    1,
    1,
  ],
}

describe('the sizes of a source', () => {
  it('are made of a source that has replicas', () => expect(replicas).to.equal(11))
  for (const [sentence, [source, wanted, now]] of Object.entries(cases))
    it(sentence, () => expect(sizeOf(source)).to.deep.equal({ wanted, now }))
})

/** Who reads which size of a source. A file that reads another one changes what a smaller source means. */
const READERS = {
  /** the size that people want */
  wanted: [
    'common/assess/size-errors.ts',
    'common/situation/run.ts',
    'common/situation/scaling.ts',
    'common/surroundings/hazards.ts',
  ],
  /** the pods that it has now */
  now: ['common/outcome/policy-decision.ts', 'common/situation/pins.ts', 'common/situation/scaling.ts'],
} as const

/** Other readers: the function itself, and those that only count what is there while no canary is inside. */
const BESIDE = [
  'common/describe/describe-analysis.ts',
  'common/run/advance.ts',
  'common/scaling/size.ts',
  'common/surroundings/hazards.ts',
  'controller/orphans/orphaned-sources.ts',
]

/** Those that read the pods of a form of a source which they are given, with its size. */
const ADAPTERS = /^common\/workload\//

describe('the readers of the sizes of a source', () => {
  const files = globSync('{common,webhook,controller}/**/*.ts').sort()
  const withText = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(file, 'utf8')))

  it('are known, for the size that people want', () =>
    expect(withText(/sizeOf\(\w+\)\.wanted/)).to.deep.equal(READERS.wanted))

  it('are known, for the size that the source has now', () =>
    expect(withText(/sizeOf\(\w+\)\.now|\{ now \}.* = \[sizeOf/)).to.deep.equal(READERS.now))

  it('ask for one of both: whose replicas a source has otherwise is listed', () =>
    expect(
      withText(/replicasOf\((source|source\.object|pair\.source)\)/).filter((file) => !ADAPTERS.test(file)),
    ).to.deep.equal(BESIDE))
})
