import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { at, type JsonObject, listOr, member } from '../../common/json/json.ts'
import { mergePatch } from '../../common/override/strategic.ts'
import type { Schemas } from '../../common/schema/transform.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesOwnProduct } from '../clusters/own-product.ts'
import { say } from '../integration/canaries.ts'
import { type EmptyValue, emptyValues, RICH } from '../integration/empty-values.ts'
import { DEADLINE_MS } from '../integration/product.ts'

/** How many promotions there are, of some 400 fields. */
const PROMOTIONS = Number(process.env.PROMOTIONS ?? 20)
/** How many run at the same time. Each keeps its fork, which needs no pod, for half a minute. */
const AT_ONCE = 20

const MODES = ['Automatic', 'Manual', 'Export'] as const
/** A change beside the empty value, of every second promotion. */
const CHANGE: JsonObject = { template: { metadata: { annotations: { version: 'b' } } } }

describe('N10: the promotion of empty values, in a cluster with the component', function () {
  this.timeout(60_000 + PROMOTIONS * 15_000)
  const { plane, place } = usesOwnProduct(() => WITH_PROMOTION)

  const deploymentOf = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: { app: 'rich' } }, template: RICH },
  })
  /** What the API server makes of the override; undefined if it does not accept that. */
  const written = (name: string, overrideSpec: JsonObject) =>
    plane()
      .api.patch(`${place().path('deployments', name)}?dryRun=All`, { spec: overrideSpec })
      .catch(() => undefined)

  /** As many overrides as there are promotions, of fields all over a Deployment. */
  async function overrides(): Promise<readonly EmptyValue[]> {
    const { spec } = await plane().api.create(place().path('deployments'), deploymentOf('rich'))
    const document = await plane().api.get<JsonObject>('/openapi/v3/apis/apps/v1')
    const schemas = at(document, 'components', 'schemas') as Schemas
    const all = emptyValues(spec as JsonObject, schemas, member(schemas, 'io.k8s.api.apps.v1.DeploymentSpec'))
    const valid: EmptyValue[] = []
    for (const each of all)
      if (!each.isTakenAway && (await written('rich', each.overrideSpec)) && (await isAdmitted(each))) valid.push(each)
    expect(valid.length).to.be.at.least(200)
    const part = (index: number) => Math.floor((index * PROMOTIONS) / valid.length)
    return valid.filter((_, index) => part(index) !== part(index - 1))
  }

  /** Whether the webhook accepts the override, for example no empty word where Kubernetes has a list of words. */
  async function isAdmitted({ overrideSpec }: EmptyValue): Promise<boolean> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: 'rich' }, overrideSpec }
    const experiment = { apiVersion, kind, metadata: { name: 'admitted' }, spec }
    const answer = await plane()
      .api.create(`${place().path('experiments')}?dryRun=All`, experiment)
      .catch(() => undefined)
    return answer !== undefined
  }

  const phaseOf = async (name: string) => (await place().experimentAt(name)).status?.strategy?.phase
  const shows = (name: string, ...phases: readonly string[]) =>
    place().shows(name, phases.join(' or '), ({ status }) => phases.includes(status?.strategy?.phase ?? ''))

  /** Runs one promotion to its end. Returns what went wrong. */
  async function promoted({ field, overrideSpec: empty }: EmptyValue, index: number): Promise<string | undefined> {
    const [name, mode] = [`rich-${index}`, MODES[index % MODES.length] ?? 'Manual']
    const overrideSpec = index % 2 === 0 ? empty : mergePatch(empty, CHANGE)
    try {
      await plane().api.create(place().path('deployments'), deploymentOf(name))
      await place().experiment(name, {
        source: name,
        replicas: 0,
        overrideSpec,
        promotion: { mode },
      })
      if (mode === 'Manual') {
        await shows(name, 'Paused', 'Promoted')
        await eventually(`${name} to be promoted, or to need no word`, DEADLINE_MS, async () => {
          if ((await phaseOf(name)) !== 'Paused') return
          const { code, text } = await say(place(), name, 'promote')
          if (code !== 0) throw new Error(text)
        })
      }
      if (mode === 'Export') {
        const { status } = await place().shows(
          name,
          'a patch, or its end',
          (of) => of.status?.promotion?.patch !== undefined || of.status?.promotion?.written !== undefined,
        )
        const { patch, written: had } = status?.promotion ?? {}
        if (patch !== undefined && !had)
          await place().kubectl(['patch', `deployment/${name}`, '--type=json', '-p', patch])
      }
      await shows(name, 'Promoted')
      const { spec } = await place().deployment(name)
      const after = await written(name, overrideSpec)
      expect(spec).to.deep.equal(after?.spec)
      return undefined
    } catch (error) {
      return `${mode} ${field} ${index % 2 === 0 ? 'alone' : 'beside a change'}: ${error}`
    }
  }

  it(`N10: ${PROMOTIONS} of them end Promoted, and the source has it, in each mode`, async () => {
    const found = await overrides()
    expect(found).to.have.length(PROMOTIONS)
    const wrong: string[] = []
    for (let from = 0; from < found.length; from += AT_ONCE) {
      const batch = found.slice(from, from + AT_ONCE).map((each, index) => promoted(each, from + index))
      wrong.push(...(await Promise.all(batch)).filter((text) => text !== undefined))
    }
    expect(wrong.join('\n')).to.equal('')
  })

  it('N10: a rounded quantity ends Promoted, after one write', async () => {
    await plane().api.create(place().path('deployments'), deploymentOf('rounded'))
    const container = { name: 'rich', image: 'registry.example/rich:2', resources: { limits: { cpu: '100u' } } }
    await place().experiment('rounded', {
      source: 'rounded',
      replicas: 0,
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [container] } } },
      promotion: { mode: 'Automatic' },
    })
    await shows('rounded', 'Promoted')
    const { spec, metadata } = await place().deployment('rounded')
    const [stored] = listOr(at(spec, 'template', 'spec', 'containers'))
    expect([at(stored, 'image'), at(stored, 'resources', 'limits', 'cpu')]).to.deep.equal([container.image, '1m'])
    expect(metadata.generation).to.equal(2)
  })
})
