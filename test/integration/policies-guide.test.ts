import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { Page, type Step, wordsOf } from './document.ts'
import { aNamespace } from './fixture.ts'
import { aSource, DEADLINE_MS, hasEndpoints, type Place, placeIn, usesProduct } from './product.ts'

const GUIDE = new Page('policies.md', 'policies-sources.md')
const FIELDS: Readonly<Record<keyof ExperimentPolicySpec, true>> = {
  namespaceSelector: true,
  validationActions: true,
  maxReplicas: true,
  maxShare: true,
  maxExperimentsPerSource: true,
  maxExperimentsPerNamespace: true,
  maxTTLSeconds: true,
  defaultTTLSeconds: true,
  allowedOverridePaths: true,
  deniedOverridePaths: true,
  allowedImages: true,
  allowSourcesFrom: true,
  sourceMissing: true,
  aloneBehindService: true,
  promotionModes: true,
  approverNotRequester: true,
  requireRevision: true,
  allowScaleDownSource: true,
  requireAnalysis: true,
  allowedProviders: true,
  allowTimeoutPromotion: true,
}

describe('A-7: the guide for policy writers, on the real control plane', () => {
  const place = usesProduct()
  let folder = ''
  let stock: Place

  before('its files and its workloads are created', async () => {
    folder = await mkdtemp(join(tmpdir(), 'policies-'))
    stock = await placeIn(await aNamespace())
    await GUIDE.writeFiles(folder, (text) =>
      text.replaceAll(/\bshop\b/g, place().namespace).replaceAll(/\bstock\b(?!-)/g, stock.namespace),
    )
    await aSource(place(), 'cart', { replicas: 3 })
    await aSource(place(), 'asleep', { replicas: 0 })
    await aSource(stock, 'cart')
    await hasEndpoints(place(), 'cart', 3)
    await hasEndpoints(stock, 'cart', 1)
  })
  after('its policies and its files are removed', async () => {
    for (const name of [place().namespace, stock.namespace])
      await place().api.delete(resourcePath(EXPERIMENT_POLICY, { name }))
    await rm(folder, { recursive: true })
  })

  /** Runs a command of the guide. Returns the output, with the namespaces of the guide. */
  async function run({ command }: Step) {
    const [program, ...args] = wordsOf(command).map((word) =>
      word.replace(/^([\w-]+\.yaml)$/, join(folder, '$1')).replace(/^shop$/, place().namespace),
    )
    expect(program).to.equal('kubectl')
    const { code, text } = await place().kubectl(args)
    return {
      code,
      text: text
        .replaceAll(`${folder}/`, '')
        .replaceAll(place().namespace, 'shop')
        .replaceAll(stock.namespace, 'stock'),
    }
  }

  for (const step of GUIDE.steps())
    it(`runs ${step.command}`, async () => {
      const once = async () => {
        const { code, text } = await run(step)
        GUIDE.expectOutput(step, text)
        expect(code !== 0, text).to.equal(step.isRefused)
      }
      // the webhook knows a new policy, and its status has its counts, a moment after it was applied
      const writes = !/--dry-run|\bget\b/.test(step.command)
      await (writes ? once() : eventually('the output', DEADLINE_MS, once))
    })

  it('has an overlay that adds a path to those of the baseline', async () => {
    const { text } = await place().kubectl(['kustomize', folder])
    const paths = listOr(at(parse(text), 'spec', 'allowedOverridePaths'))
    expect(paths.at(-1)).to.equal('template.metadata.annotations["example.com/team"]')
    expect(paths.length).to.be.greaterThan(2)
  })

  it('has an example of every field', () => {
    const shown = GUIDE.blocks('yaml')
      .map((block): unknown => parse(block))
      .filter((object) => isObject(object) && object.kind === EXPERIMENT_POLICY.kind)
      .flatMap((policy) => Object.keys(Object(at(policy, 'spec'))))
    expect([...new Set(shown)].sort()).to.deep.equal(Object.keys(FIELDS).sort())
  })

  it('has a refusal for each field that can refuse', () => {
    const refused = GUIDE.steps().filter(({ isRefused }) => isRefused)
    expect(refused.length).to.be.greaterThan(8)
    expect([...new Set(GUIDE.languages())].sort()).to.deep.equal(['console', 'yaml'])
    expect(GUIDE.inline()).to.deep.equal([])
  })
})
