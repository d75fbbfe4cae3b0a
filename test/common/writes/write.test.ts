import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { ANALYSIS_RUN, FORK_FINALIZER, POD, SERVICE } from '../../../common/api/names.ts'
import { REASONS } from '../../../common/api/reasons.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { FAILURE_OUTCOMES, outcomeOf, type Role, type Write } from '../../../common/writes/write.ts'
import { aDeployment, anExperiment } from '../../builders.ts'

const fork = aDeployment({ name: 'fork' })
const WRITES: Readonly<Record<Role, Write>> = {
  newFork: {
    verb: 'apply',
    role: 'newFork',
    resource: deployment,
    object: fork,
    isRepair: false,
    isSameDerivation: false,
  },
  newTwin: {
    verb: 'apply',
    role: 'newTwin',
    resource: deployment,
    object: fork,
    isRepair: false,
    isSameDerivation: false,
  },
  twin: { verb: 'delete', role: 'twin', resource: deployment, of: fork },
  fork: { verb: 'patch', role: 'fork', resource: deployment, of: fork, patch: { spec: { replicas: 1 } } },
  base: { verb: 'create', role: 'base', resource: deployment, object: fork },
  record: { verb: 'create', role: 'record', resource: deployment, object: fork },
  sourceSize: { verb: 'jsonPatch', role: 'sourceSize', resource: deployment, of: fork, operations: [] },
  source: { verb: 'patch', role: 'source', resource: deployment, of: fork, patch: { spec: {} } },
  analysisRun: { verb: 'create', role: 'analysisRun', resource: ANALYSIS_RUN, object: fork },
  service: { verb: 'patch', role: 'service', resource: SERVICE, of: fork, patch: {} },
  pod: { verb: 'apply', role: 'pod', resource: POD, object: fork },
  experiment: {
    verb: 'patch',
    role: 'experiment',
    resource: deployment,
    of: anExperiment(),
    patch: { metadata: { finalizers: [FORK_FINALIZER] } },
  },
}
/** `lookAgain`, or the state and the reason. */
const meaningOf = (role: Role, failure: KubeErrorKind | 'conflict over fields', message = 'no'): string => {
  const refusal = outcomeOf(
    WRITES[role],
    failure === 'conflict over fields'
      ? { kind: 'conflict', message, conflictOver: 'fields' }
      : { kind: failure, message, ...(failure === 'conflict' && { conflictOver: 'object' }) },
  )
  return refusal === 'lookAgain' ? refusal : `${refusal.is} ${refusal.reason}`
}

describe('the meaning of a refused write', () => {
  const cases: Record<string, readonly [Role, Parameters<typeof meaningOf>[1], string]> = {
    'is that the name was taken, for a new fork': ['newFork', 'conflict over fields', 'failed NameConflict'],
    'is only that it is tried again, for a new fork whose quota was just changed': ['newFork', 'conflict', 'lookAgain'],
    'is that the facts are out of date, for fields of a fork that exists': [
      'fork',
      'conflict over fields',
      'lookAgain',
    ],
    'R5: is that the name was taken, for a new base, which is tried again ever later': [
      'base',
      'alreadyExists',
      'failed NameConflict',
    ],
    'is that the facts are out of date, for a fork that exists': ['fork', 'conflict', 'lookAgain'],
    'is that the facts are out of date, for the experiment': ['experiment', 'conflict', 'lookAgain'],
    'is that the facts are out of date where the object is gone': ['fork', 'notFound', 'lookAgain'],
    'is that the API server cannot answer now': ['newFork', 'unreachable', 'lookAgain'],
    'is that the facts are out of date, for a pod with another uid': ['pod', 'invalid', 'lookAgain'],
    'is that we may not write': ['newFork', 'forbidden', 'stalled ApplyRefused'],
    'is that the facts are out of date, for a source that has changed': ['sourceSize', 'conflict', 'lookAgain'],
    'is that an admission policy refuses the size of a source': ['sourceSize', 'invalid', 'stalled ApplyRefused'],
    'is that the object is invalid': ['fork', 'invalid', 'stalled ApplyRefused'],
    'is that the namespace ends': ['newFork', 'terminating', 'unready ApplyRefused'],
    'is that the API server failed, which is tried again': ['newFork', 'server', 'failed ApplyFailed'],
  }
  for (const [sentence, [role, failure, expected]] of Object.entries(cases))
    it(sentence, () => expect(meaningOf(role, failure)).to.equal(expected))

  const immutable = {
    'of an immutable field': 'spec.selector: Invalid value: field is immutable',
    'of a StatefulSet': "updates to statefulset spec for fields other than 'replicas' are forbidden",
  }
  for (const [words, message] of Object.entries(immutable))
    it(`is that an immutable field changed, by the message ${words}`, () => {
      expect(meaningOf('fork', 'invalid', message)).to.equal('stalled ImmutableFieldChanged')
      expect(meaningOf('fork', 'forbidden', message)).to.equal('stalled ApplyRefused')
    })

  it('is known for every role and failure, with a reason that is documented', () => {
    const refusals = Object.values(FAILURE_OUTCOMES).flatMap((byFailure) => Object.values(byFailure))
    for (const refusal of refusals) if (refusal !== 'lookAgain') expect(REASONS).to.have.property(refusal.reason)
  })
})
