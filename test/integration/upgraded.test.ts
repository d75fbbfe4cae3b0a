import { expect } from 'chai'
import { DERIVED_HASH, FIELD_MANAGER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { baseOf } from '../../common/fork/base.ts'
import { derive, withHash } from '../../common/fork/derive.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { statefulSet } from '../../common/workload/stateful-set.ts'
import { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWritesIn } from '../../sandbox/proof.ts'
import { imageOverride, POD } from '../builders.ts'
import { controlPlane } from './fixture.ts'
import { aSource, DEADLINE_MS, forkOf, installation, usesProduct } from './product.ts'
import { comesToRest } from './quiet.ts'

const KINDS = { deployments: deployment, statefulSets: statefulSet }
const QUIET_MS = 5_000

/** An experiment, and what another version of the controller has left of its fork. */
interface Row {
  readonly of: keyof typeof KINDS
  readonly left: 'the same' | 'another hash' | 'another spec'
  readonly onSourceChange?: 'Pin'
}

const ROWS: Readonly<Record<string, Row>> = {
  'same-deployment': { of: 'deployments', left: 'the same' },
  'same-pinned': { of: 'deployments', left: 'the same', onSourceChange: 'Pin' },
  'same-set': { of: 'statefulSets', left: 'the same' },
  'hashed-deployment': { of: 'deployments', left: 'another hash' },
  'hashed-pinned': { of: 'deployments', left: 'another hash', onSourceChange: 'Pin' },
  'hashed-set': { of: 'statefulSets', left: 'another hash' },
  'derived-deployment': { of: 'deployments', left: 'another spec' },
  'derived-set': { of: 'statefulSets', left: 'another spec' },
}

describe('R13: forks that another version of the controller derived, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS) // the waits in it end earlier, with an error that names the reason
  const place = usesProduct()
  const pathOf = async (name: string, { of }: Row) => place().path(of, forkOf(await place().experimentAt(name)))

  before('each experiment is Ready, and then nothing is written', async () => {
    await aSource(place(), 'cart')
    const labels = { app: 'set' }
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    }
    await place().api.create(place().path('statefulSets'), {
      metadata: { name: 'cart' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    })
    for (const [name, { of, left: _left, ...spec }] of Object.entries(ROWS)) {
      const overrideSpec = imageOverride('registry.example/cart:2')
      await place().experiment(name, { source: 'cart', kind: KINDS[of].kind, overrideSpec, ...spec })
    }
    for (const name of Object.keys(ROWS)) await place().reaches(name, 'Available')
    await allRest()
  })

  /** A fork is Available before its rollout has ended, and what is left of that is told, too. */
  const allRest = () => comesToRest(place().namespace, QUIET_MS, 2 * DEADLINE_MS)

  /** The fork as the version that runs here derives it. */
  async function derivedHere(name: string, { of }: Row): Promise<KubeObject> {
    const kind = KINDS[of]
    const source = await place().api.get<KubeObject>(place().path(of, 'cart'))
    const based = baseOf(kind, { source, referents: [], shape: POD })
    if (based.is !== 'base') throw new Error(based.is)
    const experiment = await place().experimentAt(name)
    const derived = derive({ kind, experiment, base: based.base, schema: undefined, replicas: 1 })
    if (derived.is !== 'fork') throw new Error(derived.reason)
    return derived.fork
  }

  /** Writes the fork as another version does, under the name of the controller, if that derives it differently. */
  async function leaveOther(name: string, row: Row): Promise<void> {
    if (row.left === 'the same') return
    const fork = await derivedHere(name, row)
    const spec = row.left === 'another spec' ? { ...Object(fork.spec), minReadySeconds: 1 } : fork.spec
    const { metadata, ...object } = withHash({ ...fork, spec })
    const hash = row.left === 'another spec' ? {} : { [DERIVED_HASH]: '0123456789abcdef' }
    const annotations = { ...metadata.annotations, ...hash }
    const path = await pathOf(name, row)
    await place().api.apply(path, { ...object, metadata: { ...metadata, annotations } }, FIELD_MANAGER)
  }

  /** What the derivation decides about each fork, and its uid. */
  async function forks() {
    const found = Object.entries(ROWS).map(async ([name, row]) => {
      const { metadata, spec } = await place().api.get<KubeObject>(await pathOf(name, row))
      return [name, { uid: metadata.uid, hash: metadata.annotations?.[DERIVED_HASH], spec }] as const
    })
    return Object.fromEntries(await Promise.all(found))
  }

  it('R13: are each written once by the controller that starts, all others and their sources not at all', async () => {
    const { controller, startController } = await installation()
    const before = await forks()
    expect((await controller().stop('SIGTERM', DEADLINE_MS)).code).to.equal(0)
    for (const [name, row] of Object.entries(ROWS)) {
      expect(withHash(await derivedHere(name, row)).metadata.annotations?.[DERIVED_HASH]).to.equal(before[name]?.hash)
      await leaveOther(name, row)
    }
    const left = await forks()
    const differs = (name: string) => left[name]?.hash !== before[name]?.hash
    expect(Object.keys(ROWS).filter(differs)).to.have.length(5)
    const tail = new AuditTail((await controlPlane()).auditLog, place().namespace)
    await tail.events() // from here on
    await startController()
    await eventually('the forks to be as this version derives them', DEADLINE_MS, async () =>
      expect(await forks()).to.deep.equal(before),
    )
    for (const name of Object.keys(ROWS)) await place().reaches(name, 'Available')
    await allRest()
    const updates = Object.entries(ROWS).filter(([name]) => differs(name))
    const wanted = updates.map(async ([name, row]) => {
      const fork = forkOf(await place().experimentAt(name))
      return `patch ${row.of.toLowerCase()}/${place().namespace}/${fork}`
    })
    const written = (await ownWritesIn(await tail.events(), new Date(0))).all.filter(
      (request) => request.includes(`/${place().namespace}/`) && !/ (experimentdeployments|events)\//.test(request),
    )
    expect(written.toSorted()).to.deep.equal((await Promise.all(wanted)).toSorted())
  })
})
