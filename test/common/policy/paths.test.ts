import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const P = '(policy "limits")'
/** An override with the same result under both types. */
const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })
const AT = 'spec.overrideSpec.template.spec'
const source = (container: JsonObject, pod: JsonObject = {}): KubeObject => aDeployment({ container, pod })

interface EffectCase {
  readonly policy: ExperimentPolicySpec
  readonly override: JsonObject
  readonly source?: KubeObject
  readonly findings: readonly string[]
}

const effects: Record<string, EffectCase> = {
  'accepts an override that changes nothing': {
    policy: { allowedOverridePaths: [], deniedOverridePaths: ['**', 'not[a path'], allowedImages: [] },
    override: container({ image: 'example/cart:1' }),
    findings: [],
  },
  'reports a denied path': {
    policy: { deniedOverridePaths: ['template.spec.hostNetwork'] },
    override: { template: { spec: { hostNetwork: true, hostPID: true } } },
    findings: [`${AT}.hostNetwork: cannot be changed ${P}`],
  },
  'accepts a denied value that the source has already': {
    policy: { deniedOverridePaths: ['**.hostPath', 'template.spec.hostNetwork'] },
    source: source({}, { hostNetwork: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    override: {
      template: { spec: { hostNetwork: true, hostPID: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    },
    findings: [],
  },
  'reports a denied value of the source that the override changes': {
    policy: { deniedOverridePaths: ['**.hostPath'] },
    source: source({}, { volumes: [{ name: 'v', hostPath: { path: '/log' } }] }),
    override: { template: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } } },
    findings: [`${AT}.volumes[0].hostPath.path: cannot be changed ${P}`],
  },
  'reports an added item once': {
    policy: { deniedOverridePaths: ['**.secret', 'template.spec.containers[+]'] },
    override: {
      template: {
        spec: {
          volumes: [{ name: 's', secret: { secretName: 's', optional: true } }],
          containers: [
            { name: 'cart', image: 'example/cart:1' },
            { name: 'more', image: 'example/more', args: ['a', 'b'] },
          ],
        },
      },
    },
    findings: [`${AT}.containers[1]: cannot be added ${P}`, `${AT}.volumes[0].secret: cannot be changed ${P}`],
  },
  'writes keys with dots in quotes, and shows no values': {
    policy: { deniedOverridePaths: ['template.metadata.labels["example.com/team"]'] },
    override: { template: { metadata: { labels: { 'example.com/team': 'hidden', app: 'hidden' } } } },
    findings: ['spec.overrideSpec.template.metadata.labels["example.com/team"]: cannot be changed (policy "limits")'],
  },
  'reports every change that no allowed path covers': {
    policy: { allowedOverridePaths: ['template.spec.containers[*].image', 'template.spec.containers[*].resources'] },
    override: container({ image: 'example/cart:2', resources: { limits: { cpu: '1' } }, command: ['x'] }),
    findings: [
      `${AT}.containers[0].command[0]: cannot be added; allowed paths: template.spec.containers[*].image, template.spec.containers[*].resources ${P}`,
    ],
  },
  'allows nothing if the list is empty': {
    policy: { allowedOverridePaths: [] },
    override: container({ image: 'example/cart:2' }),
    findings: [`${AT}.containers[0].image: cannot be changed; no path is allowed ${P}`],
  },
  'prefers a denied path to an allowed one, and reports the change once': {
    policy: {
      allowedOverridePaths: ['minReadySeconds', 'template'],
      deniedOverridePaths: ['template.spec.hostPID', 'paused'],
    },
    override: { paused: true, template: { spec: { hostPID: true, hostIPC: true } } },
    findings: [`paused: cannot be changed ${P}`, `template.spec.hostPID: cannot be changed ${P}`].map(
      (line) => `spec.overrideSpec.${line}`,
    ),
  },
  'reports a denied path that it cannot parse, if anything is changed': {
    policy: { deniedOverridePaths: ['template.[spec]'] },
    override: { minReadySeconds: 5 },
    findings: [
      `spec.overrideSpec: cannot be checked: "template.[spec]" in deniedOverridePaths is not a valid path; correct the policy ${P}`,
    ],
  },
  'allows nothing by a path that it cannot parse': {
    policy: { allowedOverridePaths: ['minReadySeconds.'] },
    override: { minReadySeconds: 5 },
    findings: [`spec.overrideSpec.minReadySeconds: cannot be changed; allowed paths: minReadySeconds. ${P}`],
  },
  'reports a null at its own path': {
    policy: { deniedOverridePaths: ['template.spec.securityContext'] },
    source: source({}, { securityContext: { runAsNonRoot: true, runAsUser: 7 } }),
    override: { template: { spec: { securityContext: null } } },
    findings: [`${AT}.securityContext: cannot be changed ${P}`],
  },
}

describe('forbiddenPaths', () => {
  for (const [sentence, { policy, override, source, findings: expected }] of Object.entries(effects))
    for (const overrideType of ['Merge', 'Strategic'] as const)
      it(`${sentence} (${overrideType})`, () => {
        const experiment = anExperiment({ overrideSpec: override, overrideType })
        const found = findings(policy, aPolicyInput({ experiment, ...(source ? { source } : {}) }))
        expect([...found].sort()).to.deep.equal([...expected].sort())
      })

  const two = source({ env: [{ name: 'A', value: '1' }] }, {})
  const inSecond = (item: JsonObject): JsonObject => container({ image: 'example/cart:1', env: [item] })

  it('gives the index of an item in the override, not in the fork', () => {
    const experiment = anExperiment({ overrideSpec: inSecond({ name: 'B', value: '2' }), overrideType: 'Strategic' })
    const found = findings({ deniedOverridePaths: ['**.env[+]'] }, aPolicyInput({ experiment, source: two }))
    expect(found).to.deep.equal([`${AT}.containers[0].env[0]: cannot be added ${P}`])
  })

  it('M12: reports an init container that is moved, because they run in their order', () => {
    const [a, b] = [
      { name: 'a', image: 'example/init:1' },
      { name: 'b', image: 'example/init:1' },
    ]
    const experiment = anExperiment({ overrideSpec: { template: { spec: { initContainers: [b, a] } } } })
    const input = aPolicyInput({ experiment, source: source({}, { initContainers: [a, b] }) })
    const moved = (policy: ExperimentPolicySpec) => findings(policy, input)
    expect(moved({ allowedOverridePaths: ['template.spec.initContainers[*].image'] })).to.deep.equal([
      `${AT}.initContainers[0]: cannot be moved; allowed paths: template.spec.initContainers[*].image ${P}`,
    ])
    expect(moved({ allowedOverridePaths: ['template.spec.initContainers[*]'] })).to.deep.equal([])
    expect(moved({ deniedOverridePaths: ['template.spec.initContainers'] })).to.have.length(1)
  })

  it('gives the key of an item that the override leaves out', () => {
    const experiment = anExperiment({ overrideSpec: inSecond({ name: 'B', value: '2' }) })
    const found = findings({ deniedOverridePaths: ['**.env[-]'] }, aPolicyInput({ experiment, source: two }))
    expect(found).to.have.length(1)
    expect(found[0]).to.contain(`${AT}.containers[0].env[A]: cannot be removed`)
  })

  it('reports at most 21 places', () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`l${index}`, 'x']))
    const experiment = anExperiment({ overrideSpec: { template: { metadata: { labels } } } })
    expect(findings({ allowedOverridePaths: [] }, aPolicyInput({ experiment }))).to.have.length(21)
  })
})
