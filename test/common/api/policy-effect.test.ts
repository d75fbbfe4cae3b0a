import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import type { ExperimentPolicySpec } from '../../../common/api/policy.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { aJudged, told } from './judged.ts'

const P = '(policy "limits")'
/** An override that says the same under both types. */
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
  'has nothing against an override that changes nothing': {
    policy: { allowedOverridePaths: [], deniedOverridePaths: ['**', 'not[a path'], allowedImages: [] },
    override: container({ image: 'example/cart:1' }),
    findings: [],
  },
  'tells of a denied path': {
    policy: { deniedOverridePaths: ['template.spec.hostNetwork'] },
    override: { template: { spec: { hostNetwork: true, hostPID: true } } },
    findings: [`${AT}.hostNetwork: may not be changed ${P}`],
  },
  'has nothing against a danger that the source has': {
    policy: { deniedOverridePaths: ['**.hostPath', 'template.spec.hostNetwork'] },
    source: source({}, { hostNetwork: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    override: {
      template: { spec: { hostNetwork: true, hostPID: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    },
    findings: [],
  },
  'tells of that danger once it is changed': {
    policy: { deniedOverridePaths: ['**.hostPath'] },
    source: source({}, { volumes: [{ name: 'v', hostPath: { path: '/log' } }] }),
    override: { template: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } } },
    findings: [`${AT}.volumes[0].hostPath.path: may not be changed ${P}`],
  },
  'tells of an added item once, where the pattern means it': {
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
    findings: [`${AT}.containers[1]: may not be added ${P}`, `${AT}.volumes[0].secret: may not be changed ${P}`],
  },
  'gives keys with dots in quotes, and no values': {
    policy: { deniedOverridePaths: ['template.metadata.labels["example.com/team"]'] },
    override: { template: { metadata: { labels: { 'example.com/team': 'hidden', app: 'hidden' } } } },
    findings: ['spec.overrideSpec.template.metadata.labels["example.com/team"]: may not be changed (policy "limits")'],
  },
  'wants every change to be allowed': {
    policy: { allowedOverridePaths: ['template.spec.containers[*].image', 'template.spec.containers[*].resources'] },
    override: container({ image: 'example/cart:2', resources: { limits: { cpu: '1' } }, command: ['x'] }),
    findings: [
      `${AT}.containers[0].command[0]: may not be added; only template.spec.containers[*].image, template.spec.containers[*].resources may ${P}`,
    ],
  },
  'allows nothing if it lists nothing': {
    policy: { allowedOverridePaths: [] },
    override: container({ image: 'example/cart:2' }),
    findings: [`${AT}.containers[0].image: may not be changed; nothing may ${P}`],
  },
  'lets a denied path beat an allowed one, and tells it once': {
    policy: {
      allowedOverridePaths: ['minReadySeconds', 'template'],
      deniedOverridePaths: ['template.spec.hostPID', 'paused'],
    },
    override: { paused: true, template: { spec: { hostPID: true, hostIPC: true } } },
    findings: [`paused: may not be changed ${P}`, `template.spec.hostPID: may not be changed ${P}`].map(
      (line) => `spec.overrideSpec.${line}`,
    ),
  },
  'tells of a denied path that it cannot read, if anything is changed': {
    policy: { deniedOverridePaths: ['template.[spec]'] },
    override: { minReadySeconds: 5 },
    findings: [
      `spec.overrideSpec: cannot be judged: "template.[spec]" of deniedOverridePaths is no path; correct the policy ${P}`,
    ],
  },
  'allows nothing by a path that it cannot read': {
    policy: { allowedOverridePaths: ['minReadySeconds.'] },
    override: { minReadySeconds: 5 },
    findings: [`spec.overrideSpec.minReadySeconds: may not be changed; only minReadySeconds. may ${P}`],
  },
  'tells of a null where it stands': {
    policy: { deniedOverridePaths: ['template.spec.securityContext'] },
    source: source({}, { securityContext: { runAsNonRoot: true, runAsUser: 7 } }),
    override: { template: { spec: { securityContext: null } } },
    findings: [`${AT}.securityContext: may not be changed ${P}`],
  },
  'has nothing against an allowed image': {
    policy: { allowedImages: ['docker.io/example/**'] },
    override: container({ image: 'example/cart:2' }),
    findings: [],
  },
  'has nothing against another spelling of the image of the source': {
    policy: { allowedImages: [] },
    override: container({ image: 'docker.io/example/cart:1' }),
    findings: [],
  },
  'tells of every other image, added or changed': {
    policy: { allowedImages: ['registry.example/**', 'registry.example:5000/**', 'localhost/**'] },
    override: {
      template: {
        spec: {
          containers: [{ name: 'cart', image: 'registry.example.evil.com/cart' }],
          initContainers: [
            { name: 'i', image: 'nginx' },
            { name: 'j', image: 'registry.example/j' },
          ],
          volumes: [{ name: 'v', image: { reference: 'not an image' } }],
        },
      },
    },
    findings: [
      `${AT}.containers[0].image: registry.example.evil.com/cart:latest is not allowed; allowed: registry.example/**, registry.example:5000/** and 1 more ${P}`,
      `${AT}.volumes[0].image.reference: "not an image" is not allowed; allowed: registry.example/**, registry.example:5000/** and 1 more ${P}`,
      `${AT}.initContainers[0].image: docker.io/library/nginx:latest is not allowed; allowed: registry.example/**, registry.example:5000/** and 1 more ${P}`,
    ],
  },
}

describe('what a policy says of the effect of an override', () => {
  for (const [sentence, { policy, override, source, findings }] of Object.entries(effects))
    for (const overrideType of ['Merge', 'Strategic'] as const)
      it(`${sentence} (${overrideType})`, () => {
        const experiment = anExperiment({ overrideSpec: override, overrideType })
        const found = told(policy, aJudged({ experiment, ...(source ? { source } : {}) }))
        expect([...found].sort()).to.deep.equal([...findings].sort())
      })

  const two = source({ env: [{ name: 'A', value: '1' }] }, {})
  const inSecond = (item: JsonObject): JsonObject => container({ image: 'example/cart:1', env: [item] })

  it('gives the index that an item has in the override, not in the fork', () => {
    const experiment = anExperiment({ overrideSpec: inSecond({ name: 'B', value: '2' }), overrideType: 'Strategic' })
    const found = told({ deniedOverridePaths: ['**.env[+]'] }, aJudged({ experiment, source: two }))
    expect(found).to.deep.equal([`${AT}.containers[0].env[0]: may not be added ${P}`])
  })

  it('gives the key of an item that the override leaves out', () => {
    const experiment = anExperiment({ overrideSpec: inSecond({ name: 'B', value: '2' }) })
    const found = told({ deniedOverridePaths: ['**.env[-]'] }, aJudged({ experiment, source: two }))
    expect(found).to.deep.equal([`${AT}.containers[0].env[A]: may not be removed ${P}`])
  })

  it('tells of 21 places and then stops', () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`l${index}`, 'x']))
    const experiment = anExperiment({ overrideSpec: { template: { metadata: { labels } } } })
    expect(told({ allowedOverridePaths: [] }, aJudged({ experiment }))).to.have.length(21)
  })

  it('leaves paths and images to a time when forks are known', () => {
    const experiment = anExperiment({ overrideSpec: container({ image: 'nginx' }) })
    const policy = { allowedImages: [], allowedOverridePaths: [], maxReplicas: 0 }
    expect(told(policy, aJudged({ experiment, forks: undefined }))).to.have.length(1)
  })
})
