import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { EXPERIMENT_DEPLOYMENT } from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { at, listOr, textOr } from '../../../common/json/json.ts'
import { ApiError } from '../../../sandbox/api.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { applyCrds } from '../../../sandbox/first-objects.ts'
import { anExperiment } from '../../builders.ts'
import { aToldExperiment } from '../../common/view/some-view.ts'
import { usesControlPlane } from '../../integration/fixture.ts'
import { EXPERIMENTS, HEALTH } from './experiments.ts'

const KUSTOMIZATION: unknown = parse(await readFile('examples/flux/experiments.yaml', 'utf8'))
const [CHECK, ...MORE] = listOr(at(KUSTOMIZATION, 'spec', 'healthCheckExprs'))

const GROUP = 'examples.test'
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
/** An object of this kind has anything in `objects`, and nobody looks at it. So an experiment may have any status. */
const CRD = stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `holders.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { kind: 'Holder', plural: 'holders' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { objects: { type: 'array', items: ANYTHING } },
          },
        },
      },
    ],
  },
})

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const NAME = 'flux-health'
const ANSWERS = /answers: ([\w ]+)/
/** The expressions in the order in which Flux asks, and what it concludes. If none is true, it is `InProgress`. */
const ORDER = [
  ['inProgress', 'InProgress'],
  ['failed', 'Failed'],
  ['current', 'Current'],
] as const

/** An expression of Flux, about the experiment `it`. For Flux its members are variables. */
const about = (expression: string): string =>
  ['metadata', 'status']
    .filter((name) => new RegExp(`\\b${name}\\b`).test(expression))
    .reduce((inner, name) => `[it.${name}].exists(${name}, ${inner})`, expression)

/** What Flux concludes about the experiment `it`. */
const conclusion = (check: unknown): string =>
  ORDER.reduceRight(
    (otherwise, [name, word]) => `${about(textOr(at(check, name), 'false'))} ? '${word}' : (${otherwise})`,
    "'InProgress'",
  )

/** Refuses everything, and says what Flux concludes about each experiment in it. */
const policy = (check: unknown) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: NAME },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [GROUP], apiVersions: ['v1'], operations: ['CREATE'], resources: ['holders'] }],
    },
    validations: [
      {
        expression: 'false',
        message: 'answers: error', // when an expression cannot be evaluated
        messageExpression: `'answers: ' + object.objects.map(it, ${conclusion(check)}).join(' ')`,
      },
    ],
  },
})

/** How many are asked about at once: a longer message would be cut. */
const AT_ONCE = 50
const inBatches = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.flatMap((_, index) => (index % AT_ONCE === 0 ? [items.slice(index, index + AT_ONCE)] : []))

describe('the health check for Flux', () => {
  const plane = usesControlPlane()

  /** What Flux concludes about each experiment; one `error` instead of all: an expression fails. */
  async function ask(objects: readonly ExperimentDeployment[]): Promise<readonly string[]> {
    const holder = { apiVersion: `${GROUP}/v1`, kind: 'Holder', metadata: { name: 'one' }, objects }
    const refusal: unknown = await plane()
      .api.create(`/apis/${GROUP}/v1/holders?dryRun=All`, holder)
      .catch((error: unknown) => error)
    const [, answers] = ANSWERS.exec(refusal instanceof ApiError ? refusal.message : '') ?? []
    if (answers === undefined) throw new Error(`no answer, but ${refusal}`)
    return answers.split(' ')
  }

  before('an API server evaluates the expressions', async () => {
    const { api } = plane()
    await applyCrds(api, [CRD])
    await api.apply(`${POLICIES}/${NAME}`, policy(CHECK))
    await api.apply(`${POLICIES.replace('policies', 'policybindings')}/${NAME}`, {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
      metadata: { name: NAME },
      spec: { policyName: NAME, validationActions: ['Deny'] },
    })
    await eventually('the policy to answer', 20_000, () => ask([aToldExperiment()]))
  })

  it('is about experiments, for which the Kustomization waits', () => {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    expect(CHECK).to.include({ apiVersion, kind })
    expect(MORE).to.deep.equal([])
    expect(at(KUSTOMIZATION, 'spec', 'wait')).to.equal(true)
  })

  for (const [state, experiments] of EXPERIMENTS)
    it(`says ${HEALTH[state].flux} of an experiment that is ${state}`, async () => {
      const known = experiments.filter(({ status }) => status || state === 'Terminating')
      expect(known.length).to.be.greaterThan(1)
      for (const batch of inBatches(known)) {
        const answers = await ask(batch)
        expect(answers).to.have.lengthOf(batch.length)
        const wrong = batch.filter((_, index) => answers[index] !== HEALTH[state].flux)
        expect(wrong).to.deep.equal([])
      }
    })

  it('cannot say anything where there is no status, so that Flux goes on to ask', async () => {
    expect(await ask([anExperiment()])).to.deep.equal(['error'])
  })
})
