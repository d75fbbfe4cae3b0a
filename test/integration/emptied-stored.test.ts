import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { decodeExperiment } from '../../common/api/decode.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { at, isObject, objectOr } from '../../common/json/json.ts'
import { runHash } from '../../common/situation/run-hash.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds, removeCrds } from '../../sandbox/first-objects.ts'
import { EMPTIED, storedOf, usesApplied, whole } from './emptied.ts'
import { usesControlPlane } from './fixture.ts'

const GROUP = 'former.example.com'
/** The API of experiments under another name, so that the update of its CRD concerns no other test. */
const FORMER: ResourceType = { apiVersion: `${GROUP}/v1alpha1`, kind: 'FormerExperiment', plural: 'formerexperiments' }

/** What a former version of the CRD did not have: these words, the only property of `overrideSpec`, and a rule. */
const LATER = ['x-kubernetes-map-type', 'nullable', 'template']

const withoutLater = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.filter((each) => at(each, 'fieldPath') !== '.template').map(withoutLater)
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, held]) => (LATER.includes(key) ? [] : [[key, withoutLater(held)]])),
        )
      : value

/** The CRD of experiments under the other name, as it is now, or as it was. */
function crd({ isFormer }: { readonly isFormer: boolean }): string {
  const now: unknown = parse(readFileSync(new URL('../../crds/experimentdeployments.yaml', import.meta.url), 'utf8'))
  const { spec, ...head } = objectOr(isFormer ? withoutLater(now) : now)
  const { kind, plural } = FORMER
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` }
  const metadata = { name: `${plural}.${GROUP}` }
  return JSON.stringify({ ...head, metadata, spec: { ...objectOr(spec), group: GROUP, names } })
}

const UNTOUCHED = { minReadySeconds: 5 }

describe('a map that is emptied in an experiment that was stored before the CRD said how', () => {
  const plane = usesControlPlane()
  const { path, stored, byServer } = usesApplied(FORMER)
  const hashes: Record<string, string> = {}

  const hashOf = async (name: string): Promise<string> => {
    const decoded = decodeExperiment({ ...(await stored(name)) }, 'kube-system')
    if (decoded.is === 'malformed') throw new Error(JSON.stringify(decoded.errors))
    return runHash(decoded.experiment)
  }
  const overrideOf = async (name: string) => at((await stored(name)).spec, 'overrideSpec')
  const row = (word: string) => EMPTIED[word] ?? expect.fail(word)

  before('the experiments are stored, and then the CRD is updated', async () => {
    await applyCrds(plane().api, [crd({ isFormer: true })])
    for (const [word, { from }] of Object.entries(EMPTIED)) {
      expect(await byServer('ci', word, whole(from))).to.equal('applied')
      hashes[word] = await hashOf(word)
    }
    for (const name of ['nulled', 'shared', 'edited'])
      expect(await byServer('ci', name, whole(row('labels').from))).to.equal('applied')
    expect(await byServer('ci', 'nulled', whole(row('labels').to))).to.equal('applied')
    expect(await byServer('team', 'shared', { overrideSpec: UNTOUCHED })).to.equal('applied')
    await plane().api.patch(`${path('edited')}?fieldManager=kubectl-edit`, { spec: { overrideSpec: UNTOUCHED } })
    await applyCrds(plane().api, [crd({ isFormer: false })])
    const { apiVersion, kind } = FORMER
    const asked = { apiVersion, kind, metadata: { name: 'asked' }, spec: whole({ promotion: null }) }
    await eventually('the API server to accept a promotion that is null', 20_000, async () => {
      const { spec } = await plane().api.create(path('asked').replace('/asked', '?dryRun=All'), asked)
      expect(at(spec, 'promotion')).to.equal(null)
    })
  })
  after('the CRD is removed', () => removeCrds(plane().api, [crd({ isFormer: false })]))

  for (const [word, of] of Object.entries(EMPTIED))
    it(`N9: ${word}: is stored as it is applied, and before that nothing changes, no hash either`, async () => {
      const { metadata } = await stored(word)
      expect(await byServer('ci', word, whole(of.from))).to.equal('applied')
      expect((await stored(word)).metadata.generation).to.equal(metadata.generation)
      expect(await hashOf(word)).to.equal(hashes[word])
      expect(await byServer('ci', word, whole(of.to))).to.equal('applied')
      expect(at((await stored(word)).spec, ...of.where)).to.deep.equal(storedOf(of))
    })

  it('N9: is {} with the next apply where Kubernetes had made null of it', async () => {
    expect(await overrideOf('nulled')).to.have.nested.property('template.metadata.labels', null)
    expect(await byServer('ci', 'nulled', whole(row('labels').to))).to.equal('applied')
    expect(await overrideOf('nulled')).to.deep.equal(row('labels').to.overrideSpec)
  })

  for (const [name, other] of Object.entries({ shared: 'team', edited: 'kubectl-edit' }))
    it(`N9: overwrites what ${other} owns in the override only by force`, async () => {
      const { from } = row('labels')
      expect(await byServer('ci', name, whole(from))).to.match(
        new RegExp(`conflict with "${other}"[^\\n]*: \\.spec\\.overrideSpec`),
      )
      expect(await overrideOf(name)).to.deep.equal({ ...Object(from.overrideSpec), ...UNTOUCHED })
      expect(await byServer('ci', name, whole(from), '--force-conflicts')).to.equal('applied')
      expect(await overrideOf(name)).to.deep.equal(from.overrideSpec)
    })
})
