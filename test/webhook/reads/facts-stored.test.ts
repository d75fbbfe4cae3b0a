import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { COMMAND } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { ownershipMetadata } from '../../../common/workload/identity.ts'
import { readFacts } from '../../../webhook/reads/facts.ts'
import { aDeployment, anExperiment, FORK, installing, pinnedTo } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { aDecodedRequest, aNamespace, anUpdate, inNamespace } from '../a-decoded-request.ts'

interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  readonly decoded?: ReturnType<typeof aDecodedRequest>
}

/** The facts that a review of an update reads, with the given members replaced. */
async function read({ world = [], instead = {}, decoded = anUpdate({}, { replicas: 2 }) }: Given) {
  const { kube, asked } = aReader(world, { instead })
  const { signal } = new AbortController()
  const policies = {
    policies: () => [],
    namespace: async (name: string) => aNamespace(name),
    isExcluded: () => false,
  }
  return { facts: await readFacts({ kube, policies, installed: installing(), signal }, decoded), asked }
}

const IN_SHOP = '/apis/apps/v1/namespaces/shop'
const CART = `${IN_SHOP}/deployments/cart`
const FORK_PATH = `${IN_SHOP}/deployments/${FORK}`
const REVISION_PATH = `${IN_SHOP}/controllerrevisions/${FORK}`
const PIN = { onSourceChange: 'Pin' } as const
const TILL = { sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'till' } }

/** How a read fails, and why the fact is then unknown. */
const FAILURES: Readonly<Record<string, readonly [() => unknown, string]>> = {
  'the API server does not answer': [failing('unreachable'), 'unreachable'],
  'we may not read it': [failing('forbidden'), 'forbidden'],
  'the answer is not an object': [() => ({ data: {} }), 'the answer is not an object'],
}

describe('the fork that a review reads', () => {
  const fork = theFork()

  it('is the fork of the stored experiment', async () => {
    const { facts, asked } = await read({ world: [fork, aDeployment()] })
    expect([facts.fork, facts.nameHolder]).to.deep.equal([known(fork), undefined])
    expect(asked).to.include(FORK_PATH)
  })

  it('is absent where it does not exist', async () => {
    const { facts } = await read({ world: [aDeployment()] })
    expect([facts.fork, facts.nameHolder]).to.deep.equal([ABSENT, undefined])
  })

  it('is absent in a cluster without the kind', async () =>
    expect((await read({ instead: { [FORK_PATH]: failing('kindAbsent') } })).facts.fork).to.deep.equal(ABSENT))

  it('is in the namespace of the source', async () => {
    const experiment = anExperiment(TILL)
    const other = inNamespace('till', theFork({ experiment }))
    const decoded = anUpdate(TILL, { ...TILL, replicas: 2 })
    expect((await read({ world: [other], decoded })).facts.fork).to.deep.equal(known(other))
    expect((await read({ world: [fork], decoded })).facts.fork).to.deep.equal(ABSENT)
  })

  it('is not another object with its name, which is the holder of the name', async () => {
    const holder = aDeployment({ name: FORK })
    const { facts } = await read({ world: [holder] })
    expect([facts.fork, facts.nameHolder]).to.deep.equal([ABSENT, holder])
  })

  it('is not read for a new experiment, whose uid is new', async () => {
    const { facts, asked } = await read({ decoded: aDecodedRequest(), world: [fork, aDeployment()] })
    expect([facts.fork, facts.nameHolder]).to.deep.equal([ABSENT, undefined])
    expect(asked).to.deep.equal([CART])
  })

  for (const [sentence, [fail, because]] of Object.entries(FAILURES))
    it(`is unknown where ${sentence}`, async () => {
      const { facts } = await read({ instead: { [FORK_PATH]: fail } })
      expect([facts.fork, facts.nameHolder]).to.deep.equal([unknown(because), undefined])
    })

  it('throws an internal error', async () => {
    const bug = () => {
      throw new TypeError('a bug')
    }
    expect(await read({ instead: { [FORK_PATH]: bug } }).catch((error: unknown) => error)).to.be.instanceOf(TypeError)
  })
})

describe('the record of a promotion that a review reads', () => {
  const record: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `${FORK}-promotion`, namespace: 'shop' },
  }
  const run = { run: 'r', revision: 'r', stepIndex: 0, since: '2026-11-21T10:00:00.000Z', step: '0/2' } as const
  const saying = (verb: string, path: 'Forward' | 'Undo') => {
    const phase = path === 'Undo' ? 'Undoing' : 'Progressing'
    const status = { strategy: { ...run, path, phase, stepName: 'restore' } } as const
    return anUpdate({ status }, { status, metadata: { annotations: { [COMMAND]: verb } } })
  }
  const recordFor = async (decoded: Given['decoded'], of: Given = { world: [record, aDeployment()] }) =>
    (await read({ ...of, ...(decoded ? { decoded } : {}) })).facts.promotion?.record

  it('N11: is read for an undo, and for the abort of one', async () => {
    expect(await recordFor(saying('undo', 'Forward'))).to.deep.equal(known(record))
    expect(await recordFor(saying('abort', 'Undo'))).to.deep.equal(known(record))
    expect(await recordFor(saying('undo', 'Forward'), { world: [aDeployment()] })).to.deep.equal(ABSENT)
  })

  it('N11: is not read for another command, and says nothing where it cannot be read', async () => {
    expect(await recordFor(saying('abort', 'Forward'))).to.equal(undefined)
    expect(await recordFor(saying('pause', 'Undo'))).to.equal(undefined)
    const path = `${IN_SHOP}/controllerrevisions/${FORK}-promotion`
    const instead = { [path]: failing('unreachable') }
    expect(await recordFor(saying('undo', 'Forward'), { world: [aDeployment()], instead })).to.equal(undefined)
  })
})

describe('the revision that a review reads', () => {
  const { revision } = pinnedTo()
  const decoded = anUpdate(PIN, { ...PIN, replicas: 2 })

  it('is that of a pinned experiment, for an update', async () => {
    const { facts, asked } = await read({ decoded, world: [revision, aDeployment()] })
    expect(facts.revision).to.deep.equal(known(revision))
    expect(asked).to.include(REVISION_PATH)
  })

  it('S: is in the namespace of the source, wherever the experiment is', async () => {
    const apart = anUpdate({ ...PIN, ...TILL }, { ...PIN, ...TILL, replicas: 2 })
    const { labels } = ownershipMetadata(apart.experiment)
    const beside = { ...revision, metadata: { name: FORK, namespace: 'till', labels: { ...labels } } }
    expect((await read({ decoded: apart, world: [beside] })).facts.revision).to.deep.equal(known(beside))
    expect((await read({ decoded: apart, world: [revision] })).facts.revision).to.deep.equal(ABSENT)
  })

  it('is that of an experiment that was pinned until now', async () => {
    const status = { source: { uid: 'u', generation: 1, templateHash: 'x', pinned: true } }
    const unpinned = anUpdate({ ...PIN, status }, { status })
    expect((await read({ decoded: unpinned, world: [revision] })).facts.revision).to.deep.equal(known(revision))
  })

  const unread: Record<string, readonly [Given['decoded'], ...string[]]> = {
    'is not read for a new experiment': [aDecodedRequest({ object: anExperiment(PIN) }), CART],
    'is not read for an experiment that follows its source': [anUpdate({}, { replicas: 2 }), CART, FORK_PATH],
  }
  for (const [sentence, [request, ...expected]] of Object.entries(unread))
    it(sentence, async () => {
      const { facts, asked } = await read({
        ...(request ? { decoded: request } : {}),
        world: [revision, aDeployment()],
      })
      expect(facts.revision).to.deep.equal(ABSENT)
      expect(asked).to.deep.equal(expected)
    })

  it('is absent where it does not exist yet, or belongs to somebody else', async () => {
    expect((await read({ decoded })).facts.revision).to.deep.equal(ABSENT)
    const foreign = { ...revision, metadata: { name: FORK, namespace: 'shop' } }
    const { facts } = await read({ decoded, world: [foreign] })
    expect([facts.revision, facts.revisionHolder]).to.deep.equal([ABSENT, foreign])
  })

  for (const [sentence, [fail, because]] of Object.entries(FAILURES))
    it(`is unknown where ${sentence}`, async () =>
      expect((await read({ decoded, instead: { [REVISION_PATH]: fail } })).facts.revision).to.deep.equal(
        unknown(because),
      ))
})
