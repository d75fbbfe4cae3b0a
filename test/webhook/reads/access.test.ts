import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { COMMAND, REVIEWED_TEMPLATE } from '../../../common/api/names.ts'
import { at, type JsonObject } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { runHash, shortRun } from '../../../common/situation/run-hash.ts'
import { mutator } from '../../../webhook/mutate.ts'
import { type Need, needsOf } from '../../../webhook/reads/access.ts'
import { validator } from '../../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout, FORK } from '../../builders.ts'
import { aReader } from '../../fakes/reader.ts'
import { aDecodedRequest } from '../a-decoded-request.ts'
import { ALICE, aRequest, aService, linesOf, validatorDeps } from '../reviews.ts'

const WORLD = [aDeployment(), aService()]
const NEEDS = 'needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop"'

type Access = (spec: unknown) => JsonObject
const refusing =
  (verb: string): Access =>
  (spec) => ({ allowed: at(spec, 'resourceAttributes', 'verb') !== verb })

interface Given {
  readonly access?: Access
  readonly world?: typeof WORLD
  readonly request?: Parameters<typeof aRequest>[0]
}

async function linesFor({ access, world = WORLD, request }: Given): Promise<readonly string[]> {
  const { kube } = aReader(world, access ? { access } : {})
  return linesOf(await validator(validatorDeps(kube, ANY_SCHEMA))(aRequest(request)))
}

const failing =
  (kind: 'unreachable' | 'forbidden'): Access =>
  () => {
    throw new KubeError({ kind, message: 'no answer' })
  }
const UNCHECKED = `unchecked: your permissions could not be checked in time (${NEEDS}), try again`
const misspelt = anExperiment({ overrideSpec: { replicas: 2 } })

describe('the rights of the requester', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'must include more than our own kind': [{ access: () => ({ allowed: false }) }, `forbidden: ${NEEDS}`],
    'must include create': [{ access: refusing('create') }, `forbidden: ${NEEDS}`],
    'must include get for the source': [{ access: refusing('get') }, `forbidden: ${NEEDS}`],
    'A missing `get` hides whether the source exists.': [{ access: refusing('get'), world: [] }, `forbidden: ${NEEDS}`],
    'are refused to a user without a name': [
      { request: { userInfo: { ...ALICE, username: '' } } },
      `forbidden: ${NEEDS}`,
    ],
    'are unknown where the API server does not answer': [{ access: failing('unreachable') }, UNCHECKED],
    'are unknown if the webhook may not create access reviews': [{ access: failing('forbidden') }, UNCHECKED],
    'are unknown with an evaluationError': [
      { access: () => ({ allowed: true, evaluationError: 'role not found' }) },
      UNCHECKED,
    ],
    'are refused where the answer is both allowed and denied': [
      { access: () => ({ allowed: true, denied: true }) },
      `forbidden: ${NEEDS}`,
    ],
    'are reported beside mistakes': [
      { access: refusing('get'), request: { object: misspelt } },
      `spec.sourceRef: ${NEEDS}`,
      'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
    ],
    'do not hide a mistake when they are unknown': [
      { access: failing('unreachable'), request: { object: misspelt } },
      'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
    ],
    'must include patch for the fork, on an update': [
      { access: refusing('patch'), request: { oldObject: anExperiment({ replicas: 3 }) } },
      `forbidden: needs "create deployments.apps", "get deployments.apps/cart" and "patch deployments.apps/${FORK}" in namespace "shop"`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => expect(await linesFor(given)).to.deep.equal(expected))

  it('must include get for the object that a workloadRef names', async () => {
    const rollout = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })
    const request = { object: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } }) }
    const access: Access = (spec) => ({ allowed: at(spec, 'resourceAttributes', 'name') !== 'base' })
    expect(await linesFor({ access, request, world: [rollout, aDeployment({ name: 'base' })] })).to.deep.equal([
      'forbidden: needs "get deployments.apps/base" in namespace "shop"',
    ])
  })

  it('S6: must include get for the object that the annotation names, even before the source refers to it', async () => {
    const metadata = { annotations: { [REVIEWED_TEMPLATE]: 'Deployment/base' } }
    const request = { object: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' }, metadata }) }
    const access: Access = (spec) => ({ allowed: at(spec, 'resourceAttributes', 'name') !== 'base' })
    const [line] = await linesFor({ access, request, world: [] })
    expect(line).to.match(/^forbidden: needs "create rollouts.argoproj.io", .* and "get deployments.apps\/base" in/)
  })

  it('A missing right hides what a workloadRef names, which is read before the rights are checked.', async () => {
    const object = anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } })
    const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })
    const lines = async (access: Access, world: typeof WORLD) => {
      const deps = validatorDeps(aReader(world, { access }).kube, ANY_SCHEMA)
      const answer = await mutator(deps)(aRequest({ object }))
      const patch = (answer.allowed ? answer.patch : undefined) as Operation[]
      const { newDocument } = jsonPatch.applyPatch(structuredClone(object), patch)
      return linesOf(await validator(deps)(aRequest({ object: newDocument })))
    }
    const isBase = (spec: unknown) => at(spec, 'resourceAttributes', 'name') === 'base'
    const unsure: Access = (spec) => (isBase(spec) ? { allowed: false } : { allowed: true, evaluationError: 'slow' })
    for (const access of [refusing('get'), refusing('create'), failing('unreachable'), unsure]) {
      const [line] = await lines(access, [referring])
      expect(line).to.contain('"get replicasets.apps"').and.to.not.contain('base')
      expect([line]).to.deep.equal(await lines(access, []))
    }
    const [line] = await lines((spec) => ({ allowed: !isBase(spec) }), [referring])
    expect(line).to.contain('"get replicasets.apps" and "get deployments.apps/base"')
  })

  it('Groups and extra are passed on.', async () => {
    const { kube, reviews } = aReader(WORLD)
    await validator(validatorDeps(kube, ANY_SCHEMA))(aRequest())
    const attributes = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' }
    const who = { user: 'alice', uid: 'uid-of-alice', groups: ['dev'], extra: { scopes: ['a'] } }
    expect(reviews).to.deep.equal([
      { ...who, resourceAttributes: { verb: 'create', ...attributes } },
      { ...who, resourceAttributes: { verb: 'get', ...attributes, name: 'cart' } },
    ])
  })
})

type SpecOf = Parameters<typeof anExperiment>[0]

describe('the rights that follow from what the stored run does next', () => {
  const at = (stepIndex: number, of: SpecOf, held = false) => {
    const experiment = anExperiment(of)
    const run = {
      run: shortRun(runHash(experiment)),
      revision: '1f',
      path: 'Forward',
      stepIndex,
      since: '',
      held,
    } as const
    const strategy = { ...run, phase: 'Paused', stepName: '', step: '' } as const
    return { ...experiment, status: { ...experiment.status, strategy } }
  }
  const saying = (command: string, oldObject: ReturnType<typeof at>) =>
    aDecodedRequest({
      object: { ...oldObject, metadata: { ...oldObject.metadata, annotations: { [COMMAND]: command } } },
      oldObject,
    })
  const editing = (oldObject: ReturnType<typeof at>) =>
    aDecodedRequest({ object: { ...oldObject, spec: { ...oldObject.spec, ttlSeconds: 60 } }, oldObject })
  const canary: SpecOf = { strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } }
  const green: SpecOf = { strategy: { blueGreen: { activeService: 'cart', previewService: 'preview' } } }
  const cases: Readonly<Record<string, readonly [ReturnType<typeof aDecodedRequest>, ...string[]]>> = {
    'resume of a run that is held at its promotion': [saying('resume', at(3, canary, true)), 'cart'],
    'resume of a pause before a person promotes': [saying('resume', at(1, canary))],
    'resume of a run that is held while it waits to be promoted': [saying('resume', at(2, canary, true))],
    'an edit during the promotion': [editing(at(3, canary)), 'cart'],
    'an edit while it waits to be promoted': [editing(at(2, canary))],
    'resume of a run that is held before its preview': [saying('resume', at(0, green, true)), 'services/preview'],
    'resume of a preview': [saying('resume', at(2, green)), 'services/cart'],
    'resume after the cut-over': [saying('resume', at(5, green))],
    'promote before the preview': [saying('promote', at(1, green)), 'cart', 'services/cart', 'services/preview'],
    'promote of a preview': [saying('promote', at(2, green)), 'cart', 'services/cart'],
    'an edit after the preview': [editing(at(2, green))],
    'an edit before it': [editing(at(0, green)), 'services/preview'],
  }
  const nameOf = ({ resource, name = '' }: Need) => (resource.plural === 'services' ? `services/${name}` : name)
  for (const [sentence, [decoded, ...expected]] of Object.entries(cases))
    it(`N32: ${sentence}: ${expected.join(', ') || 'nothing more'}`, () =>
      expect(
        needsOf(decoded)
          .filter(({ verb, name }) => verb === 'patch' && name !== FORK)
          .map(nameOf),
      ).to.deep.equal(expected))
})
