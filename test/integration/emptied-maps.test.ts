import { expect } from 'chai'
import { decodeExperiment } from '../../common/api/decode.ts'
import { ANALYSIS_PROVIDER, ANALYSIS_TEMPLATE, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, type Json, type JsonObject } from '../../common/json/json.ts'
import { runHash } from '../../common/situation/run-hash.ts'
import { EMPTIED, storedOf, usesApplied, whole } from './emptied.ts'
import { usesControlPlane } from './fixture.ts'

describe('a map of an experiment that server-side apply has emptied', () => {
  const { stored, byClient, byServer } = usesApplied()

  for (const [word, row] of Object.entries(EMPTIED)) {
    it(`N9: ${word}: is stored as it is applied, and the next apply changes nothing`, async () => {
      const name = `applied-${word}`
      expect(await byServer('ci', name, whole(row.from))).to.equal('applied')
      expect(await byServer('ci', name, whole(row.to))).to.equal('applied')
      const { metadata, spec } = await stored(name)
      expect(at(spec, ...row.where)).to.deep.equal(storedOf(row))
      expect(await byServer('ci', name, whole(row.to))).to.equal('applied')
      expect((await stored(name)).metadata.generation).to.equal(metadata.generation)
    })

    it(`N9: ${word}: is so too where client-side apply made the experiment`, async () => {
      const name = `client-${word}`
      expect(await byClient(name, whole(row.from))).to.equal('applied')
      if (row.from.analysis) {
        // the stored analysis has defaults, so Kubernetes cannot tell that kubectl alone wrote it
        const said = await byServer('kubectl', name, whole(row.from))
        expect(said).to.match(/1 conflict: conflict with "kubectl-client-side-apply"[^\n]*: \.spec\.analysis/)
        expect(await byServer('kubectl', name, whole(row.from), '--force-conflicts')).to.equal('applied')
      }
      for (const spec of [row.from, row.to]) expect(await byServer('kubectl', name, whole(spec))).to.equal('applied')
      expect(at((await stored(name)).spec, ...row.where)).to.deep.equal(storedOf(row))
    })
  }
})

describe('a promotion that server-side apply has emptied', () => {
  const { stored, byServer } = usesApplied()
  const promotes = (promotion?: Json): JsonObject =>
    whole({ strategy: { canary: {} }, ...(promotion === undefined ? {} : { promotion }) })
  const promotionOf = async (name: string) => at((await stored(name)).spec, 'promotion')
  const approves = (name: string, promotion?: JsonObject) =>
    byServer('approver', name, promotion === undefined ? {} : { promotion })

  it('N9: is null, which is no promotion, and no later apply is refused', async () => {
    const [name, none] = ['alone', 'none']
    expect(await byServer('ci', none, promotes())).to.equal('applied')
    expect(await byServer('ci', name, promotes({ mode: 'Automatic' }))).to.equal('applied')
    expect(await byServer('ci', name, promotes({}))).to.equal('applied')
    expect(await promotionOf(name)).to.equal(null)
    const hashOf = async (of: string) => {
      const decoded = decodeExperiment({ ...(await stored(of)) }, 'kube-system')
      if (decoded.is === 'malformed') throw new Error(JSON.stringify(decoded.errors))
      expect(decoded.experiment.spec).to.not.have.property('promotion')
      return runHash(decoded.experiment)
    }
    expect(await hashOf(name)).to.equal(await hashOf(none))
    for (const promotion of [{}, { mode: 'Export' }, {}, null, { mode: 'Manual' }, undefined])
      expect(await byServer('ci', name, promotes(promotion)), JSON.stringify(promotion)).to.equal('applied')
    expect(await promotionOf(name)).to.equal(undefined)
  })

  it('N9: keeps what another manager approved, and that one the mode', async () => {
    const [name, approvedRevision] = ['two', '1f'.repeat(32)]
    expect(await byServer('ci', name, promotes({ mode: 'Automatic' }))).to.equal('applied')
    expect(await approves(name, { approvedRevision })).to.equal('applied')
    expect(await byServer('ci', name, promotes({ mode: 'Automatic' }))).to.equal('applied')
    expect(await promotionOf(name)).to.deep.equal({ mode: 'Automatic', approvedRevision })
    expect(await byServer('ci', name, promotes({}))).to.equal('applied')
    expect(await promotionOf(name)).to.deep.equal({ mode: 'Manual', approvedRevision })
    expect(await byServer('ci', name, promotes({ mode: 'Automatic' }))).to.equal('applied')
    for (const promotion of [{}, { approvedRevision: '2e'.repeat(32) }, undefined]) {
      expect(await approves(name, promotion)).to.equal('applied')
      expect(await promotionOf(name)).to.deep.equal({ mode: 'Automatic', ...promotion })
    }
  })
})

describe('an experiment in which something is null', () => {
  const plane = usesControlPlane()
  const { path, byClient, byServer } = usesApplied()
  const words: Readonly<Record<string, readonly [spec: JsonObject, answer: string]>> = {
    override: [
      { overrideSpec: null },
      'spec.overrideSpec: Required value: write the fields that are different in the fork, or {} for none',
    ],
    canary: [{ strategy: { canary: null } }, 'for a canary without steps write canary: {}'],
  }
  const posted = async (name: string, spec: JsonObject) => {
    const manifest = { apiVersion: 'experimentcontroller.example.com/v1alpha1', kind: 'ExperimentDeployment' }
    const collection = path(name).replace(`/${name}`, '?dryRun=All')
    return plane()
      .api.create(collection, { ...manifest, metadata: { name }, spec })
      .then(() => 'applied', String)
  }

  for (const [word, [of, answer]] of Object.entries(words))
    it(`N9: is refused where that is the ${word}, with the remedy, however it is sent`, async () => {
      const [name, spec] = [`null-${word}`, whole(of)]
      for (const said of [await byServer('ci', name, spec), await byClient(name, spec), await posted(name, spec)])
        expect(said.replace(/\s+/g, ' ')).to.include(answer)
    })

  it('N9: is accepted where that is a canary beside a blueGreen', async () => {
    const strategy = { canary: null, blueGreen: { activeService: 'cart' } }
    expect(await byServer('ci', 'null-beside', whole({ strategy }))).to.equal('applied')
  })
})

const METRIC = { name: 'judged', kind: 'Decision', provider: 'plugin' }
const templateWith = (args: JsonObject) => ({ metrics: [{ ...METRIC, plugin: { args } }] })
const LABELS = { matchLabels: { team: 'shop' } }
const PROVIDER = { type: 'Web', address: 'http://stats.shop.svc', namespaceSelector: {} }

describe('a map of another kind that server-side apply has emptied', () => {
  const kinds = {
    template: usesApplied(ANALYSIS_TEMPLATE),
    provider: usesApplied(ANALYSIS_PROVIDER, {}),
    policy: usesApplied(EXPERIMENT_POLICY, {}),
  }
  const rows: Readonly<Record<string, readonly [of: keyof typeof kinds, from: JsonObject, to: JsonObject]>> = {
    'args of a plugin': ['template', templateWith({ threshold: '5' }), templateWith({})],
    'headers of a provider': ['provider', { ...PROVIDER, headers: { 'X-Team': 'a' } }, { ...PROVIDER, headers: {} }],
    'namespaces of a provider': ['provider', { ...PROVIDER, namespaceSelector: LABELS }, PROVIDER],
    'labels in a policy': [
      'policy',
      { maxReplicas: 9, namespaceSelector: LABELS },
      { maxReplicas: 9, namespaceSelector: { matchLabels: {} } },
    ],
  }
  for (const [words, [of, from, to]] of Object.entries(rows))
    it(`N9: ${words}: is stored as it is applied`, async () => {
      const [{ stored, byServer }, name] = [kinds[of], `emptied-${words.replaceAll(' ', '-')}`]
      for (const spec of [from, to, to]) expect(await byServer('ci', name, spec)).to.equal('applied')
      expect((await stored(name)).spec).to.deep.include(to)
    })
})
