import { expect } from 'chai'
import { NO_SHAPE, type Shape } from '../../../common/override/shape.ts'
import { WalkBudget } from '../../../common/policy/path-walk.ts'
import { policyMistakes } from '../../../common/policy/policy-mistakes.ts'
import { unmatchedPath } from '../../../common/policy/unmatched-paths.ts'
import { DEPLOYMENT, KINDS, NO_ROLLOUT, STATEFUL_SET } from './kind-shapes.ts'

const WITHOUT_ROLLOUT = [DEPLOYMENT, STATEFUL_SET, NO_ROLLOUT]
const messageOf = (pattern: string, kinds = KINDS) => unmatchedPath(pattern, kinds)?.message

describe('S10: unmatchedPath', () => {
  const matching = [
    'template',
    'template.spec.hostNetwork',
    'template.spec.{hostNetwork,hostPID}',
    'template.spec.{containers,initContainers}[*].image',
    'template.spec.containers[cart].env[+]',
    'template.spec.containers[0].image', // a container may be called "0"
    'template.spec.containers[*].args[0]',
    'template.metadata.labels.app',
    'template.metadata.labels["example.com/team"]',
    'template.metadata.*.anything',
    'template["spec"]["hostNetwork"]',
    'template.spec.containers["cart"].image',
    'template.spec.containers[*].extension.free.at.any["d.ep/th"][0]',
    'template.spec.containers[*].extension.known',
    'template.spec.containers[*].self.self.self.env',
    '{strategy,updateStrategy}.rollingUpdate',
    'serviceName',
    'strategy.canary.steps[*].setWeight',
    '*.canary.**',
    '**',
    '**.hostPath',
    '**.**.volumes[*].**.path',
    '*.*.*[*].env',
  ]
  for (const pattern of matching)
    it(`S10: ${pattern} matches a field`, () => expect(unmatchedPath(pattern, KINDS)).to.equal(undefined))

  const unmatched: Record<string, string> = {
    'template.spec.hostNetwrok': '; did you mean "template.spec.hostNetwork"?',
    'template.spec.hostnetwork': '; did you mean "template.spec.hostNetwork"?',
    'template.spec["hostNetwrok"]': '; did you mean "template.spec.hostNetwork"?',
    'tempalte.spec.hostPdi': '; did you mean "template.spec.hostPID"?',
    'template.spec.containers.image': '; did you mean "template.spec.containers[*].image"?',
    'template.spec.container[cart].image': '; did you mean "template.spec.containers[cart].image"?',
    'template.spec[*].hostNetwork': '; did you mean "template.spec.hostNetwork"?',
    'template[spec].hostNetwork': '; did you mean "template.spec.hostNetwork"?',
    'template.metadata.labels[app]': '; did you mean "template.metadata.labels.app"?',
    'template.metadata.labels[example.com/team]': '; did you mean "template.metadata.labels["example.com/team"]"?',
    'template.spec.containers[*].args[--debug]': '; did you mean "template.spec.containers[*].args[*]"?',
    'template.hostNetwork': '; did you mean "template.spec.hostNetwork"?',
    'containers[*].image': '; did you mean "template.spec.containers[*].image"?',
    'metadata.labels': '; did you mean "template.metadata.labels"?',
    'template.spec.hostNetwork.enabled': '; did you mean "template.spec.hostNetwork"?',
    'template.spec.somethingElse': '',
    'spec.template.spec.hostNetwork': '; paths begin below spec: template.spec.hostNetwork',
    'spec.template.spec.hostNetwrok': '; paths begin below spec: template.spec.hostNetwork',
    'spec.overrideSpec.template.spec': '; paths begin below spec.overrideSpec: template.spec',
    'spec.nonsense': '; paths begin below spec',
    spec: '; paths begin below spec',
  }
  for (const [pattern, remedy] of Object.entries(unmatched))
    it(`S10: ${pattern} matches none${remedy}`, () =>
      expect(unmatchedPath(pattern, KINDS)).to.deep.equal({
        message: `"${pattern}" matches no field${remedy}`,
        isCertain: true,
      }))

  it('S10: every key in braces must be able to match, with some of the others', () => {
    expect(messageOf('template.spec.{hostNetwrok,hostPID}')).to.equal(
      '"template.spec.hostNetwrok" matches no field; did you mean "template.spec.hostNetwork"?',
    )
    expect(messageOf('{strategy,updateStrategy}.{rollingUpdate,canary}.{maxSurge,partition,steps}')).to.equal(undefined)
  })

  it('S10: a key in braces that is like no field here may be one of another version of Kubernetes', () => {
    expect(unmatchedPath('template.spec.{containers,initContainers}[*].{env,restartPolicyRules}', KINDS)).to.deep.equal(
      {
        message:
          '"template.spec.{containers,initContainers}[*].restartPolicyRules" matches no field of this version of Kubernetes',
        isCertain: false,
      },
    )
    expect(unmatchedPath('template.spec.{restartPolicyRules,hostPdi,hostPID}', KINDS)?.isCertain).to.equal(true)
  })

  it('S10: only a kind without a schema could have the field: not certain', () => {
    for (const pattern of ['strategy.canary.steps', 'strategy.canray', '*.canary', 'blueGreen.**'])
      expect(unmatchedPath(pattern, WITHOUT_ROLLOUT), pattern).to.deep.equal({
        message: `"${pattern}" matches no field, unless of a Rollout, which this cluster does not have`,
        isCertain: false,
      })
  })

  it('S10: certain without the schema of a kind: every kind has the same pod template, and none a field spec', () => {
    expect(unmatchedPath('template.spec.hostNetwrok', WITHOUT_ROLLOUT)?.isCertain).to.equal(true)
    expect(messageOf('spec.strategy', WITHOUT_ROLLOUT)).to.equal(
      '"spec.strategy" matches no field; paths begin below spec: strategy',
    )
  })

  it('S10: after ** every key may be a label: only a name that is nearly a field is suspicious, and not certain', () => {
    expect(unmatchedPath('**.hostPaht', KINDS)).to.deep.equal({
      message: '"**.hostPaht" matches only free keys, such as labels; did you mean "**.hostPath"?',
      isCertain: false,
    })
    for (const pattern of ['**.team', '**["example.com/team"]', '**.labels.hostPaht', '**.extension.hostPaht'])
      expect(unmatchedPath(pattern, KINDS), pattern).to.equal(undefined)
  })

  it('S10: nothing is wrong while no schema is known, or with a path that the CRD refuses', () => {
    expect(unmatchedPath('nonsense', [NO_ROLLOUT])).to.equal(undefined)
    expect(unmatchedPath('a..b', KINDS)).to.equal(undefined)
  })

  it('S10: nothing is wrong once the budget of the policy is spent', () => {
    const budget = new WalkBudget(20)
    expect(unmatchedPath('template.spec.hostNetwrok', KINDS, budget)).to.equal(undefined)
    expect(budget.isSpent).to.equal(true)
    expect(unmatchedPath('spec.nonsense', KINDS, budget)).to.equal(undefined)
  })

  it('S10: all patterns of a policy together visit few places of a wide schema, also with many keys in braces', () => {
    let places = 0
    const scalar: Shape = { ...NO_SHAPE, form: 'scalar' }
    const wide = (members: ReadonlyMap<string, Shape>): Shape => ({
      ...NO_SHAPE,
      form: 'object',
      fields: [...members.keys()],
      member: (key) => {
        places += 1
        return members.get(key) ?? scalar
      },
    })
    const fields = (count: number, of: (index: number) => Shape) =>
      new Map(Array.from({ length: count }, (_, index) => [`field${index}`, of(index)]))
    const root = wide(fields(40, () => wide(fields(40, () => wide(new Map([['image', scalar]]))))))
    const keys = Array.from({ length: 15 }, (_, index) => `zq${index}`)
    for (const pattern of [`**.{image,${keys}}`, `field0.{field0,${keys}}`]) {
      places = 0
      const patterns = Array.from({ length: 64 }, () => pattern)
      const policy = { allowedOverridePaths: patterns, deniedOverridePaths: patterns }
      policyMistakes(policy, [{ kind: 'Deployment', shape: root }])
      expect(places, pattern).to.be.lessThan(300_000)
    }
  })
})
