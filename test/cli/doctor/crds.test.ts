import { expect } from 'chai'
import { crds } from '../../../cli/doctor/crds.ts'
import { EXPECTED } from '../../../cli/doctor/expected.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { program, someFacts } from './an-installation.ts'

const [FIRST = ''] = Object.keys(EXPECTED.crds)
const crd = (status: string, annotations = {}): KubeObject => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: FIRST, annotations },
  status: { conditions: [{ type: 'Established', status }] },
})

describe('the check of the CRDs', () => {
  it('is ok where all are there with the hash of this version', async () => {
    const { facts } = await someFacts()
    expect(await crds.look(facts)).to.deep.equal({ result: 'ok', seen: '6 CRDs of this version' })
  })

  it('is bad where one is missing or not established, and a warning where it is another one', async () => {
    const missing = await someFacts({ without: [`CustomResourceDefinition ${FIRST}`] })
    expect(await crds.look(missing.facts)).to.deep.equal({
      result: 'bad',
      seen: `missing: ${FIRST}`,
      remedy: 'Apply the CRDs of this version: kubectl apply -k crds',
    })
    const young = await someFacts({ objects: [crd('False')] })
    expect(await crds.look(young.facts)).to.include({ result: 'bad', seen: `not established: ${FIRST}` })
    const older = await someFacts({ objects: [crd('True')] })
    expect(await crds.look(older.facts)).to.include({ result: 'warn', seen: `of another version: ${FIRST}` })
  })

  it('is not known to somebody who may not read CRDs', async () => {
    const { facts } = await someFacts({ unread: ['CustomResourceDefinition'] })
    expect(await crds.look(facts)).to.deep.equal({
      result: 'unknown',
      seen: 'you cannot get CustomResourceDefinition',
    })
  })

  it('names the release where Helm has made the installation', async () => {
    const made = program('experiment-controller', [], { 'app.kubernetes.io/managed-by': 'Helm' })
    const annotated = { ...made, metadata: { ...made.metadata, annotations: { 'meta.helm.sh/release-name': 'expd' } } }
    const { facts } = await someFacts({ objects: [annotated, crd('False')] })
    expect((await crds.look(facts)).remedy).to.match(/^Upgrade the release: helm upgrade expd /)
  })
})
