import { expect } from 'chai'
import { at, isEmpty, isObject, type Json, type JsonObject, objectOr } from '../../common/json/json.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { usesArgoRollouts } from '../integration/argo.ts'
import { condition, DEADLINE_MS, forkOf, type Place, usesProduct } from '../integration/product.ts'
import { staysQuiet } from '../integration/quiet.ts'
import { BARE, emptied, type Kind, MORE, PLURALS, ROWS, type Row, withRow } from '../integration/removals.ts'

/** One row for one kind, with names of its own. */
interface Case {
  readonly kind: Kind
  readonly row: Row
  readonly named: (source: string, name: string, fresh: string) => readonly [string, string, string]
}

/** What happens to the fork that loses the field. Each story ends with the comparison with a fresh fork. */
const STORIES: Readonly<Record<string, (place: Place, of: Case) => Promise<void>>> = {
  'its override takes back': async (place, { kind, row, named }) => {
    const [source, name, fresh] = named('bare', 'takes-back', 'fresh')
    await aBareSource(place, kind, source, {})
    await forked(place, kind, name, source)
    await settled(place, name)
    for (const overrideSpec of [withRow(row), {}, withRow(row), {}]) await overridden(place, name, overrideSpec)
    await forked(place, kind, fresh, source)
    await same(place, kind, [name, fresh])
  },
  'its override empties': async (place, { kind, row, named }) => {
    const [source, name, fresh] = named('full', 'empties', 'empty')
    await aBareSource(place, kind, source, row)
    await forked(place, kind, name, source)
    await settled(place, name)
    for (const overrideSpec of [emptied(row), {}, emptied(row)]) await overridden(place, name, overrideSpec)
    await forked(place, kind, fresh, source, emptied(row))
    await same(place, kind, [name, fresh])
  },
  'its source takes back': async (place, { kind, row, named }) => {
    const [source, name, fresh] = named('source', 'follows', 'other')
    await aBareSource(place, kind, source, row)
    await forked(place, kind, name, source)
    const { status } = await settled(place, name)
    const before = status?.source?.templateHash
    await replaceSource(place, kind, source)
    await place.shows(name, 'another base', (of) => of.status?.source?.templateHash !== before)
    await forked(place, kind, fresh, source)
    await same(place, kind, [name, fresh])
  },
}

describe('what a fork loses, on the real control plane', function () {
  this.timeout(12 * DEADLINE_MS)
  const place = usesProduct()
  const kindIs = (reason: string) =>
    eventually(`Rollouts to be ${reason}`, 3 * DEADLINE_MS, async () =>
      expect(condition(await place().experimentAt('canary'), 'Ready')?.reason).to.equal(reason),
    )
  usesArgoRollouts()
  before('the product knows Rollouts', async () => {
    await forked(place(), 'Rollout', 'canary', 'none')
    await kindIs('SourceNotFound')
  })
  after('the product knows no Rollouts, as other suites expect', () => kindIs('KindNotAvailable'))

  for (const kind of Object.keys(PLURALS) as Kind[])
    for (const [story, run] of Object.entries(STORIES))
      it(`D1, D2: every field of a ${kind} that ${story} is as in a fresh fork`, async () => {
        const rows = Object.entries({ ...ROWS, ...MORE[kind] }).map(([what, row], index) => ({
          what,
          check: () => run(place(), { kind, row, named: (...of) => namesOf(kind, index, of) }),
        }))
        expect(await failures(rows)).to.deep.equal([])
      })

  it('D8: null without a value is taken as the API server does', async () => {
    await aBareSource(place(), 'Deployment', 'plain', {})
    const container = { name: 'cart', image: 'registry.example/cart:2', env: null, resources: null }
    const spec = { containers: [container], volumes: [{ name: 'scratch', emptyDir: null }] }
    const overrideSpec = { template: { metadata: { creationTimestamp: null }, spec } }
    await place().experiment('nulls', { source: 'plain', overrideSpec, replicas: 0 })
    const fork = await place().deployment(forkOf(await settled(place(), 'nulls')))
    expect(at(fork.spec, 'template', 'spec', 'volumes')).to.deep.equal([{ name: 'scratch', emptyDir: {} }])
  })

  it('D2: nobody writes when all these forks are as wanted, although Argo writes Rollouts too', () =>
    staysQuiet(place().namespace, 10_000))
})

const namesOf = (kind: Kind, index: number, names: readonly [string, string, string]) =>
  names.map((name) => `${kind.toLowerCase()}-${name}-${index}`) as unknown as typeof names

interface Check {
  readonly what: string
  readonly check: () => Promise<void>
}

/** The errors of the checks, of which several run at once. */
async function failures(checks: readonly Check[]): Promise<readonly string[]> {
  const left = [...checks]
  const found: string[] = []
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { what, check } = next
      await check().catch((error: Error) => found.push(`${what}: ${error.message}`))
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return found
}

const bodyOf = (kind: Kind, name: string, row: Row): JsonObject => {
  const labels = { app: name }
  const { template, ...spec } = withRow(row)
  const metadata = objectOr(at(template, 'metadata')) as JsonObject
  return {
    apiVersion: kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      ...BARE[kind],
      ...spec,
      template: {
        ...(template as JsonObject),
        metadata: { ...metadata, labels: { ...(objectOr(metadata.labels) as JsonObject), ...labels } },
      },
    },
  }
}

/** A source without pods. */
async function aBareSource({ api, path }: Place, kind: Kind, name: string, row: Row): Promise<void> {
  await api.create(path(PLURALS[kind]), bodyOf(kind, name, row))
}

/** Sets the source to what it is without its row. */
async function replaceSource({ api, path }: Place, kind: Kind, name: string): Promise<void> {
  const at = path(PLURALS[kind], name)
  await eventually(`${kind} ${name} to be replaced`, DEADLINE_MS, async () => {
    const { metadata } = await api.get(at)
    const body = bodyOf(kind, name, {})
    await api.replace(at, {
      ...body,
      metadata: { name, resourceVersion: metadata.resourceVersion, annotations: metadata.annotations },
    })
  })
}

const forked = (place: Place, kind: Kind, name: string, source: string, overrideSpec: JsonObject = {}) =>
  place.experiment(name, { source, kind, replicas: 0, overrideType: 'Strategic', overrideSpec })

/** Replaces the override of `name`, and waits until the fork follows. */
async function overridden(place: Place, name: string, overrideSpec: JsonObject): Promise<void> {
  const replace = [{ op: 'replace', path: '/spec/overrideSpec', value: overrideSpec }]
  await place.api.patch(place.path('experiments', name), replace, 'json')
  await settled(place, name)
}

/** Waits until the fork is as wanted. @throws Error at once if it is Stalled, because that would stay */
async function settled(place: Place, name: string) {
  const found = await place.shows(name, 'a fork', (of) => {
    const isNow = of.status?.observedGeneration === of.metadata.generation
    return isNow && (condition(of, 'Ready')?.reason === 'ScaledToZero' || condition(of, 'Stalled')?.status === 'True')
  })
  const ready = condition(found, 'Ready')
  if (ready?.reason !== 'ScaledToZero') throw new Error(`${ready?.reason}: ${ready?.message}`)
  return found
}

/** @throws Error unless two forks of one source have the same spec, apart from what tells them apart */
const same = (place: Place, kind: Kind, [name, fresh]: readonly [string, string]) =>
  eventually('the same spec', 10_000, async () =>
    expect(await specOf(place, kind, name)).to.deep.equal(await specOf(place, kind, fresh)),
  )

async function specOf(place: Place, kind: Kind, name: string): Promise<unknown> {
  const found = await settled(place, name)
  const { spec } = await place.api.get(place.path(PLURALS[kind], forkOf(found)))
  const text = JSON.stringify(spec).replaceAll(experimentId(found.metadata.uid), 'ID').replaceAll(`"${name}"`, '"NAME"')
  return withoutEmptyMaps(JSON.parse(text))
}

/** Built-in kinds keep a fresh `affinity: {}`, and have none where its last member was taken away. */
function withoutEmptyMaps(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmptyMaps)
  if (!isObject(value)) return value
  const members = Object.entries(value as JsonObject).map(([key, inner]) => [key, withoutEmptyMaps(inner)] as const)
  return Object.fromEntries(members.filter(([key, inner]) => key === 'emptyDir' || !isObject(inner) || !isEmpty(inner)))
}
