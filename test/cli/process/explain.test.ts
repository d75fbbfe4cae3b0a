import { expect } from 'chai'
import { explained, linesOf } from '../../../cli/process/explain.ts'
import { type Failure, KubeError, LoginFailed } from '../../../common/kube/client/errors.ts'
import { KubeconfigError } from '../../../common/kube/config/found.ts'

const EXPERIMENTS = 'list /apis/experimentcontroller.example.com/v1alpha1/experimentdeployments'
const CASES: readonly (readonly [sentence: string, failure: Failure, exitCode: number, first: string])[] = [
  [
    'no CRD',
    { kind: 'kindAbsent', message: 'HTTP 404', attempted: EXPERIMENTS },
    1,
    'this cluster has no ExperimentDeployments',
  ],
  [
    'no Rollouts',
    { kind: 'kindAbsent', message: 'HTTP 404', attempted: 'get /apis/argoproj.io/x' },
    1,
    'this cluster does not know the kind',
  ],
  [
    'no right',
    { kind: 'forbidden', forbiddenBy: 'rights', status: 403, message: 'User "a" cannot list' },
    3,
    'User "a" cannot list',
  ],
  [
    'refused by a policy',
    { kind: 'forbidden', forbiddenBy: 'admission', status: 403, message: 'a quota' },
    3,
    'a quota',
  ],
  [
    'what this version cannot read',
    { kind: 'invalid', message: 'spec.replicas must be a number' },
    1,
    'spec.replicas must be a number',
  ],
  ['invalid', { kind: 'invalid', status: 422, message: 'spec is invalid' }, 3, 'spec is invalid'],
  [
    'not accepted',
    { kind: 'unreachable', status: 401, message: 'Unauthorized' },
    1,
    'the API server does not accept the credentials: Unauthorized',
  ],
  [
    'no connection',
    { kind: 'unreachable', message: 'ECONNREFUSED' },
    1,
    'the API server cannot be reached: ECONNREFUSED',
  ],
  ['no answer to a write', { kind: 'timeout', message: 'timed out' }, 1, 'timed out'],
  ['too many requests', { kind: 'throttled', message: 'later' }, 1, 'later'],
  ['gone', { kind: 'notFound', message: 'not found' }, 1, 'not found'],
]

describe('an error as a person reads it', () => {
  for (const [sentence, failure, exitCode, first] of CASES)
    it(`${sentence}: one line, another that says what to do, and ${exitCode}`, () => {
      const stop = explained(new KubeError(failure))
      expect([stop.exitCode, stop.message]).to.deep.equal([exitCode, first])
      expect(linesOf(stop)).to.match(/^error: [^\n]+\n[A-Z][^\n]+\n$/)
    })

  it('lets no control character of a message reach the terminal', () =>
    expect(
      linesOf(explained(new KubeError({ kind: 'invalid', status: 422, message: 'a\n\u001b]8;;x\u0007b' }))),
    ).to.match(/^error: a \\u001b\]8;;x\\u0007b\n/))

  for (const [sentence, cause, remedy] of [
    ['nobody logged in', new LoginFailed('no login'), /^Log in again/],
    ['a kubeconfig names a file that is missing', new KubeconfigError('no file'), /^Look at --kubeconfig/],
  ] as const)
    it(`does not blame the API server where ${sentence}`, () => {
      const {
        exitCode,
        message,
        remedy: shown,
      } = explained(new KubeError({ kind: 'unreachable', message: cause.message }, { cause }))
      expect([exitCode, message]).to.deep.equal([1, cause.message])
      expect(shown).to.match(remedy)
    })

  it('explains what is no answer of the API server by its message', () =>
    expect(linesOf(explained(new Error('no current-context')))).to.equal(
      'error: no current-context\nLook at --kubeconfig, --context and $KUBECONFIG.\n',
    ))
})
