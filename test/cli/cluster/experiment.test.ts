import { expect } from 'chai'
import { experimentNamed, rowIn } from '../../../cli/cluster/experiment.ts'
import { Stop } from '../../../cli/process/stop.ts'
import { ObjectStore } from '../../fakes/object-store.ts'
import { FASTER_CART } from '../a-plugin.ts'
import { aSteered, NOW } from '../some-experiments.ts'

const reader = (of = aSteered()) => ({
  client: new ObjectStore({ [FASTER_CART]: of }),
  namespace: 'shop',
  io: { clock: () => NOW, signal: new AbortController().signal },
})

describe('an experiment that is named', () => {
  it('is found by its name, also as kubectl writes it', async () => {
    for (const name of ['faster-cart', 'expd/faster-cart', 'experimentdeployment/faster-cart'])
      expect((await experimentNamed(reader(), name)).experiment.metadata.name).to.equal('faster-cart')
  })

  it('says whether it has annotations, also those that this version does not know', async () => {
    expect((await experimentNamed(reader(), 'faster-cart')).hasAnnotations).to.equal(false)
    const annotated = reader(aSteered({ metadata: { annotations: { team: 'shop' } } }))
    expect((await experimentNamed(annotated, 'faster-cart')).hasAnnotations).to.equal(true)
  })

  for (const [name, exitCode] of [
    ['nobody', 1],
    ['..', 2],
    ['', 2],
  ] as const)
    it(`is told as missing, with ${exitCode}: "${name}"`, async () => {
      const error = await experimentNamed(reader(), name).catch((each: unknown) => each)
      expect(error).to.be.instanceOf(Stop).and.include({ exitCode })
    })
})

describe('a row of a stored experiment', () => {
  it('says why it cannot be read', () => {
    const row = rowIn({ ...aSteered(), spec: { sourceRef: { kind: 'Deployment' } } })
    expect(row).to.include({ name: 'faster-cart', state: 'Progressing', reason: 'Unreadable' })
    expect(row.message).to.contain('spec.sourceRef.name')
  })
  it('has safe names also where it cannot be read: a shell completes them', () => {
    const { name } = rowIn({ ...aSteered({ metadata: { name: 'a\n\u001b[2J' } }), spec: { sourceRef: 7 } })
    expect(name).to.equal('a \\u001b[2J')
  })
})
