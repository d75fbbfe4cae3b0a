import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../../common/api/object.ts'
import type { Write } from '../../../common/conclusion/write.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/apply/written-versions.ts'
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

const repair: Extract<Write, { isSameDerivation: boolean }> = {
  verb: 'apply',
  role: 'fork',
  resource: deployment,
  object: fork,
  isRepair: true,
  isSameDerivation: true,
}

/** The requests of `write` for which the API server gives these answers, and the result or what is thrown. */
async function written(answers: readonly (KubeObject | KubeError)[], write: Write = repair) {
  const requests: KubeRequest[] = []
  const cache = { caughtUp: async () => undefined, caughtUpDeletion: async () => undefined }
  const client = {
    request: async (request: KubeRequest) => {
      const answer = answers[requests.push(request) - 1]
      if (answer instanceof KubeError) throw answer
      return answer
    },
  }
  const notes = new WrittenVersions({ experiments: cache, forks: () => cache }).of('shop/faster-cart')
  const writer = new Writer({ client, signal: new AbortController().signal, written: notes, doubt: () => undefined })
  const result = await writer.write(write).catch((error: unknown) => error)
  return { requests, result, sent: requests.map(({ verb, contentType = '' }) => `${verb} ${contentType}`.trim()) }
}

const APPLY = 'apply'
const REPLACE = 'patch application/json-patch+json'
const OWN = 'patch application/merge-patch+json'

describe('a writer of a fork to which somebody added what excludes its own fields', () => {
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

  const others: Record<string, readonly [refusal: KubeError, write: Write]> = {
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
