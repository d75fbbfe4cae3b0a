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
