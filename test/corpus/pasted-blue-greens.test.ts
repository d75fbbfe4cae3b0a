import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { at, type JsonObject, listOr, objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { explainedIfFailed } from '../explained.ts'
import { inParallel } from '../in-parallel.ts'
import {
  countOf,
  fieldsOf,
  manifestOf,
  type Outcome,
  OWN_CRD,
  outcomeOf,
  type Pasted,
  pastedFrom,
  rolloutCrd,
  samplesOf,
  schemaOf,
  sourceOf,
  tableOf,
} from '../integration/pasted.ts'
import { DEADLINE_MS, type Place, placeAt } from '../integration/product.ts'
import { needs } from '../needs.ts'
import { argoBlueGreens } from './argo-blue-greens.ts'
import { objectsOf, type Specimen } from './specimen.ts'

const NAME = 'pasted'

/** The lines of a plan that are about the run and its Services, and the warning of a missing one. */
const WORDS = /^(steps: |then |gated: |promote: |service\/|no |\[ServiceNotFound\])/

/** What our API has, too. */
const TAKEN: Required<BlueGreenStrategy> = {
  activeService: 'active',
  previewService: 'preview',
  previewReplicaCount: 1,
  autoPromotionEnabled: true,
  autoPromotionSeconds: 1,
  maxUnavailable: 1,
  scaleDownDelaySeconds: 1,
  abortScaleDownDelaySeconds: 1,
  progressDeadlineAbort: true,
}

const blueGreenOf = (crd: unknown): unknown => schemaOf(crd, 'blueGreen')

/** Each in a namespace of its own, because they have the same names. */
interface Subject {
  readonly pasted: Pasted
  readonly services: readonly KubeObject[]
  readonly namespace: string
}

const servicesIn = (specimen: Specimen) =>
  objectsOf(specimen).filter(({ kind }) => kind === 'Service') as unknown as readonly KubeObject[]

const overrideOf = ({ template }: Pasted): JsonObject => {
  const name = String(at(listOr(at(template, 'spec', 'containers'))[0], 'name'))
  return { template: { spec: { containers: [{ name, image: 'registry.example/next:2' }] } } }
}

describe('blue-greens of Argo, pasted with their Services', function () {
  this.timeout(240_000)
  const plane = usesOwnControlPlane(crds)
  needs('argoFiles')
  const subjects: Subject[] = []
  const outcomes = new Map<Pasted, Outcome>()
  let argo: unknown
  const placeOf = ({ namespace }: Pick<Subject, 'namespace'>): Place => placeAt(plane().api, plane().kubectl, namespace)
  const list = () => subjects.map(({ pasted }) => pasted)
  const admitted = () => subjects.filter(({ pasted }) => outcomes.get(pasted)?.is === 'admitted')

  before('each is applied, on a Deployment with the pods of its Rollout', async () => {
    argo = rolloutCrd((await argoCrds()).map((text) => parse(text)))
    await install(plane(), { overlay: WITH_CUT_OVER })
    const found = (await argoBlueGreens()).flatMap((specimen) =>
      pastedFrom(specimen, 'blueGreen').map((pasted) => ({ pasted, services: servicesIn(specimen) })),
    )
    subjects.push(...found.map((each, index) => ({ ...each, namespace: `${NAME}-${index}` })))
    await inParallel(4, subjects, async (subject) => {
      const { pasted, services, namespace } = subject
      const { api, path, kubectl } = placeOf(subject)
      await api.create('/api/v1/namespaces', { metadata: { name: namespace } })
      const made = await kubectl(['create', '-f', '-'], services.map((each) => JSON.stringify(each)).join('\n---\n'))
      expect(made.code, made.text).to.equal(services.length === 0 ? 1 : 0)
      await api.create(path('deployments'), sourceOf(pasted, NAME))
      const of = {
        source: NAME,
        strategy: pasted.strategy,
        overrideSpec: overrideOf(pasted),
        overrideType: 'Strategic',
      }
      const { code, text } = await kubectl(['create', '-f', '-'], manifestOf(NAME, of))
      outcomes.set(pasted, outcomeOf(code, text, WORDS))
    })
  })
  explainedIfFailed(() => tableOf(list(), outcomes))

  it('are more than twenty, some admitted and some refused', () => {
    expect(outcomes.size).to.equal(subjects.length).and.to.be.above(20)
    for (const is of ['admitted', 'refused'] as const) expect(countOf(outcomes, is)).to.be.above(2)
  })

  it('are the four of the examples and the functional tests, and those in programs', () => {
    const files = list().map(({ file }) => file)
    expect(files.filter((file) => !file.includes('.go '))).to.have.members([
      'examples/helm-blue-green',
      'examples/rollout-bluegreen.yaml',
      'test/e2e/functional/alb-bluegreen-rollout.yaml',
      'test/e2e/functional/rollout-bluegreen.yaml',
    ])
  })

  it('are stored as they were sent, if they are admitted', async () => {
    for (const subject of admitted()) {
      const { strategy, file } = subject.pasted
      expect((await placeOf(subject).experimentAt(NAME)).spec.strategy, file).to.deep.equal(strategy)
    }
  })

  it('are told what each of their fields does, if they are admitted', () => {
    for (const { pasted, services } of admitted()) {
      const of = blueGreenIn(pasted)
      const there = new Set(services.map(({ metadata }) => metadata.name))
      const [plan, ...others] = planOf(outcomes.get(pasted)?.lines ?? [])
      const [seconds, preview] = [of.scaleDownDelaySeconds ?? 30, of.previewReplicaCount ?? pasted.replicas]
      const words = [
        `${countOfPods(preview)} without requests`,
        ...(of.previewService === undefined ? [] : [`service/${of.previewService} sends to them`]),
        ...(waits(of) ? ['pause until resumed'] : []),
        ...(preview === pasted.replicas ? [] : [countOfPods(pasted.replicas)]),
        `service/${of.activeService} sends only to them (for about 2s both versions answer)`,
        `pause ${seconds}s`,
        ...['wait until promoted', 'promote'],
        `${of.previewService === undefined ? `service/${of.activeService} sends` : 'both Services send'} to the source again`,
        `delete the fork after ${seconds}s`,
      ]
      expect(plan, pasted.file).to.deep.equal(words)
      const promotion = `promote: writes deployment/${NAME}; at least ${countOfPods(pasted.replicas)} serving at any time`
      const missing = [of.activeService, of.previewService]
        .filter((name) => name !== undefined && !there.has(name))
        .map((name) => `[ServiceNotFound] service/${name} does not exist, or has no selector: the run waits for it`)
      const isPreviewed = there.has(of.previewService ?? '')
      const previewed = `service/${of.previewService} has N ready endpoints now; then it sends only to the fork`
      const about = others.flat().filter((line) => !line.startsWith('at most '))
      const told = about.map((line) => line.replace(/\d+ ready endpoints?/, 'N ready endpoints'))
      const tooFew = pasted.replicas > 1 ? `, or fewer than ${pasted.replicas} for 60s while the source has more` : ''
      const back = `service/${of.activeService} sends to the source again when no pod of the fork is ready${tooFew}`
      expect(told, pasted.file).to.have.members([...missing, ...(isPreviewed ? [previewed] : []), back, promotion])
    }
  })

  it('are refused with a path and a remedy otherwise', () => {
    for (const [{ file }, { is, lines }] of outcomes) {
      if (is === 'admitted') continue
      expect(lines, file).to.not.be.empty
      for (const line of lines)
        expect(line, file).to.match(/^spec\.strategy\.blueGreen\.\w+: .*(; (remove|set) .*| instead)$/)
    }
  })

  it('come as far as their fields and the ports of their Services say, and have nothing else of them changed', async () => {
    await inParallel(8, admitted(), async (subject) => {
      const { pasted, services } = subject
      const place = placeOf(subject)
      const of = blueGreenIn(pasted)
      const step = stepOf(subject)
      const { status } = await place.shows(NAME, step, ({ status }) => status?.strategy?.stepName === step)
      const id = status?.experimentResourceRef?.name.slice(-10)
      const limited = [
        ...(step === 'preview' ? [] : [of.previewService]),
        ...(step === 'await' ? [of.activeService] : []),
      ]
      if (step === 'preview' || step === 'cutOver') {
        const awaited = step === 'preview' ? of.previewService : of.activeService
        const isThere = services.some(({ metadata }) => metadata.name === awaited)
        await place.reaches(NAME, isThere ? 'PortMissing' : 'ServiceNotFound')
      }
      for (const service of services) {
        const { name } = service.metadata
        const isPreview = name === of.previewService && limited.includes(name)
        await eventually(`service ${name} of ${pasted.file} to be as the step says`, DEADLINE_MS, async () => {
          const { spec } = await place.api.get<KubeObject>(place.path('services', name))
          const pin = limited.includes(name) && id !== undefined ? { [EXPERIMENT_ID]: id } : {}
          expect(at(spec, 'selector')).to.deep.equal({ ...objectOr(at(service, 'spec', 'selector')), ...pin })
          expect(at(spec, 'publishNotReadyAddresses')).to.equal(isPreview ? true : undefined)
        })
      }
    })
  })

  it('have no field of which our API does not know the name and the type', async () => {
    const ours = await plane().api.get(OWN_CRD)
    expect(Object.keys(fieldsOf(blueGreenOf(argo)))).to.not.be.empty
    expect(fieldsOf(blueGreenOf(ours))).to.deep.include(fieldsOf(blueGreenOf(argo)))
  })

  it('lose no field of Argo in silence: each that we do not take is refused at its path', async () => {
    const taken = Object.keys(TAKEN)
    const refused = samplesOf(blueGreenOf(argo), taken)
    const manifest = manifestOf('everything', {
      source: 'none',
      strategy: { blueGreen: { ...TAKEN, ...Object.fromEntries(refused) } },
    })
    const { stderr } = await plane().kubectl(['create', '-f', '-'], { input: manifest })
    expect(outcomeOf(1, stderr, WORDS).lines.map((line) => line.replace(/: .*/, ''))).to.have.members(
      refused.map(([key]) => `spec.strategy.blueGreen.${key}`),
    )
  })
})

const blueGreenIn = ({ strategy }: Pasted) => objectOr(strategy.blueGreen) as unknown as BlueGreenStrategy

/** Whether the cut-over needs a command. */
const waits = ({ autoPromotionEnabled, previewService }: BlueGreenStrategy): boolean =>
  !(autoPromotionEnabled ?? previewService === undefined)

/**
 * The step at which a run stays, as long as nobody says a word: a Service that does not exist, or asks for a port that
 * no container has, never lists a pod.
 */
function stepOf({ pasted, services }: Subject): 'preview' | 'pause' | 'cutOver' | 'await' {
  const of = blueGreenIn(pasted)
  const containers = listOr(at(pasted.template, 'spec', 'containers'))
  const named = new Set(containers.flatMap((each) => listOr(at(each, 'ports'))).map((port) => at(port, 'name')))
  const lists = (name: string) => {
    const service = services.find(({ metadata }) => metadata.name === name)
    const ports = listOr(at(service?.spec, 'ports')).map((port) => at(port, 'targetPort'))
    return service !== undefined && ports.every((port) => typeof port !== 'string' || named.has(port))
  }
  if (of.previewService !== undefined && !lists(of.previewService)) return 'preview'
  if (waits(of)) return 'pause'
  return lists(of.activeService) ? 'await' : 'cutOver'
}

const countOfPods = (pods: number): string => (pods === 1 ? '1 pod' : `${pods} pods`)

/** The steps in the lines of a plan, and then each other line. */
function planOf(lines: readonly string[]): readonly (readonly string[])[] {
  const isStep = /^(steps: |then )/
  const steps = lines.filter((line) => isStep.test(line)).flatMap((line) => line.replace(isStep, '').split('; '))
  return [steps, ...lines.filter((line) => !isStep.test(line)).map((line) => [line])]
}
