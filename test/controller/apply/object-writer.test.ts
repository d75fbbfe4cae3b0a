import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../../common/api/object.ts'
import { at as valueAt } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { ObjectWriter } from '../../../controller/apply/object-writer.ts'
import type { Changing } from '../../../controller/apply/ownership.ts'
import { aFork, aRollout } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'

const fork = theFork()
const APPLIED = { manager: 'experiment-controller', operation: 'Apply' }
const ours = (fields: object): ManagedFieldsEntry => ({
  manager: 'experiment-controller',
  operation: 'Update',
  fieldsV1: { 'f:spec': fields },
})
const REPLACED = ours({ 'f:replicas': {}, 'f:template': {} })
const stored = (...managedFields: readonly ManagedFieldsEntry[]): KubeObject => ({
  ...fork,
  metadata: { ...fork.metadata, resourceVersion: '12', managedFields },
})
const refusal = (message: string, kind: KubeErrorKind = 'invalid', status = 422) =>
  new KubeError({ kind, status, message })
const EXCLUDED = refusal('may not be specified when `value` is not empty')

const repair: Extract<Changing, { isSameDerivation: boolean }> = {
  verb: 'apply',
  role: 'fork',
  resource: deployment,
  object: fork,
  isRepair: true,
  isSameDerivation: true,
}

/** The requests of `write` for which the API server gives these answers, and the result or what is thrown. */
async function written(answers: readonly (KubeObject | KubeError)[], write: Changing = repair) {
  const requests: Omit<KubeRequest, 'signal'>[] = []
  const writer = new ObjectWriter(async (request) => {
    const answer = answers[requests.push(request) - 1]
    if (answer instanceof KubeError) throw answer
    return answer
  })
  const result = await writer.store(write).catch((error: unknown) => error)
  return { requests, result, sent: requests.map(({ verb, contentType = '' }) => `${verb} ${contentType}`.trim()) }
}

const APPLY = 'apply'
const REPLACE = 'patch application/json-patch+json'
const OWN = 'patch application/merge-patch+json'

describe('a writer of an object: a fork to which somebody added what excludes its own fields', () => {
  for (const isSameDerivation of [true, false])
    it(`replaces the spec, applies it, and owns it by that alone: derived ${isSameDerivation ? 'alike' : 'anew'}`, async () => {
      const answers = [EXCLUDED, stored(REPLACED), stored(APPLIED, REPLACED), stored(APPLIED)]
      const { requests, result, sent } = await written(answers, { ...repair, isSameDerivation })
      expect([sent, result]).to.deep.equal([[APPLY, REPLACE, APPLY, OWN], answers[3]])
      expect(requests[1]?.body).to.deep.equal([
        { op: 'replace', path: '/metadata/uid', value: 'uid-of-fork' },
        { op: 'replace', path: '/spec', value: fork.spec },
      ])
      expect(requests[3]?.body).to.deep.equal({
        metadata: { uid: 'uid-of-fork', resourceVersion: '12', managedFields: [APPLIED] },
      })
    })

  it('tells the first refusal where the spec is invalid by itself', async () => {
    const { result, sent } = await written([EXCLUDED, refusal('the same, of a patch')])
    expect([sent, result]).to.deep.equal([[APPLY, REPLACE], EXCLUDED])
  })

  it('tells it, too, where somebody has added it again meanwhile', async () => {
    const { result, sent } = await written([EXCLUDED, stored(REPLACED), refusal('again')])
    expect([sent, result]).to.deep.equal([[APPLY, REPLACE, APPLY], EXCLUDED])
  })

  it('tells of a conflict, after which the next pass reads the fork', async () => {
    const conflict = refusal('another uid', 'conflict', 409)
    expect((await written([EXCLUDED, conflict])).result).to.equal(conflict)
  })

  for (const isSameDerivation of [true, false])
    it(`replaces the spec where an interrupted pass owns fields, which no apply removes: derived ${isSameDerivation ? 'alike' : 'anew'}`, async () => {
      const answers = [stored(APPLIED, REPLACED), stored(APPLIED, REPLACED), stored(APPLIED)]
      const { requests, result, sent } = await written(answers, { ...repair, isSameDerivation })
      expect([sent, result]).to.deep.equal([[APPLY, REPLACE, OWN], answers[2]])
      expect(requests[1]?.body).to.deep.include({ op: 'replace', path: '/spec', value: fork.spec })
    })

  it('only applies where the controller has patched the replicas or the status', async () => {
    expect((await written([stored(APPLIED, ours({ 'f:replicas': {} }))])).sent).to.deep.equal([APPLY])
    expect((await written([stored(APPLIED, { ...REPLACED, subresource: 'status' })])).sent).to.deep.equal([APPLY])
  })

  describe('after a conflict', () => {
    const conflict = refusal('the object has been modified', 'conflict', 409)
    const begin = [EXCLUDED, stored(REPLACED), stored(APPLIED, REPLACED)]
    const steps = [APPLY, REPLACE, APPLY]
    const at = (resourceVersion: string, of: Partial<KubeObject['metadata']> = {}): KubeObject => {
      const object = stored(APPLIED, REPLACED)
      return { ...object, metadata: { ...object.metadata, resourceVersion, ...of } }
    }

    it('takes the fields over again, with the version that a status of Kubernetes has made', async () => {
      const answers = [...begin, conflict, at('13'), conflict, at('14'), stored(APPLIED)]
      const { requests, result, sent } = await written(answers)
      expect(sent).to.deep.equal([...steps, OWN, 'get', OWN, 'get', OWN])
      expect(result).to.equal(answers.at(-1))
      const versions = [3, 5, 7].map((index) => valueAt(requests[index]?.body, 'metadata', 'resourceVersion'))
      expect(versions).to.deep.equal(['12', '13', '14'])
    })

    it('returns the present version where there is nothing to take over any more', async () => {
      const present = stored(APPLIED)
      expect((await written([...begin, conflict, present])).result).to.equal(present)
    })

    const changed: Record<string, KubeObject | KubeError> = {
      'another spec': at('13', { generation: 4 }),
      'another uid': at('13', { uid: 'another' }),
      'no fork any more': refusal('gone', 'notFound', 404),
    }
    for (const [what, answer] of Object.entries(changed))
      it(`tells of it where there is ${what}`, async () => {
        const { result, sent } = await written([...begin, conflict, answer])
        expect([sent, result]).to.deep.equal([[...steps, OWN, 'get'], conflict])
      })

    it('tells of it after several in a row', async () => {
      const { result, sent } = await written([
        ...begin,
        ...Array(20)
          .fill([conflict, at('13')])
          .flat(),
      ])
      expect([sent.length, result]).to.deep.equal([steps.length + 11, conflict])
    })
  })

  const others: Record<string, readonly [refusal: KubeError, write: Changing]> = {
    'a new fork': [EXCLUDED, { ...repair, role: 'newFork' }],
    'a Rollout, which Argo writes too': [EXCLUDED, { ...repair, resource: rollout, object: aFork(aRollout()) }],
    'a spec that cannot be merged': [refusal('failed to create typed patch object', 'invalid', 500), repair],
    'a spec that an admission webhook denies': [refusal('denied', 'forbidden', 403), repair],
  }
  for (const [what, [refused, write]] of Object.entries(others))
    it(`only applies ${what}`, async () => {
      expect(await written([refused], write)).to.deep.include({ sent: [APPLY], result: refused })
    })
})

describe('a writer of an object: the size of a source', () => {
  const source = stored(REPLACED, { manager: 'before-first-apply', operation: 'Update' })
  const operations = [{ op: 'replace', path: '/spec/replicas', value: 4 }]
  const write = { verb: 'jsonPatch', role: 'sourceSize', resource: deployment, of: source, operations } as const

  it('N52: sends one request, whoever owns which field of the source', async () => {
    const { requests, result } = await written([source], write)
    expect(result).to.equal(source)
    expect(requests.map(({ query, body }) => ({ query, body }))).to.deep.equal([
      { query: { fieldManager: 'experiment-controller-scale' }, body: operations },
    ])
  })

  it('N52: replaces nothing of the source after a refusal', async () => {
    const refused = refusal('denied')
    const { sent, result } = await written([refused, source], write)
    expect([sent, result]).to.deep.equal([[REPLACE], refused])
  })
})
