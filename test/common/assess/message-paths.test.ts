import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import { withOverridePaths } from '../../../common/assess/message-paths.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const SCHEMA = known(deploymentSchema())
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const ports = [{ containerPort: 80, protocol: 'TCP' }]
const [proxy, cart] = [
  { name: 'proxy', image: 'b:1' },
  { name: 'cart', image: 'a:1', ports },
]
const FORK = aDeployment({ pod: { containers: [proxy, cart], hostNetwork: true }, podLabels: { version: 'x y' } })

const told = (message: string, overrideSpec: JsonObject, overrideType: OverrideType = 'Strategic'): string =>
  withOverridePaths(message, FORK, { experiment: anExperiment({ overrideSpec, overrideType }), schema: SCHEMA })

const onlyCart = pod({ containers: [{ name: 'cart', image: 'a:1', ports }] })
const POD = 'spec.template.spec'
const OVERRIDE = `spec.overrideSpec.template.spec`

const cases: Record<string, readonly [message: string, overrideSpec: JsonObject, told: string, type?: OverrideType]> = {
  'names the field of the override, at its own index': [
    `Deployment.apps "x" is invalid: ${POD}.containers[1].image: Invalid value: "a:1"`,
    onlyCart,
    `Deployment.apps "x" is invalid: ${OVERRIDE}.containers[0].image: Invalid value: "a:1"`,
  ],
  'keeps the index under Merge': [
    `${POD}.containers[1].image: Invalid value`,
    pod({ containers: [proxy, cart] }),
    `${OVERRIDE}.containers[1].image: Invalid value`,
    'Merge',
  ],
  'says what comes from the source': [
    `[${POD}.containers[0].image: Invalid value, ${POD}.containers[1].image: Invalid value]`,
    onlyCart,
    `[${POD}.containers[0].image (from the source): Invalid value, ${OVERRIDE}.containers[0].image: Invalid value]`,
  ],
  'understands the paths of server-side apply': [
    `failed to create typed patch object (shop/x; apps/v1): .${POD}.containers[name="cart"].imge: field not declared`,
    pod({ containers: [{ name: 'cart', imge: 'x' }] }),
    `failed to create typed patch object (shop/x; apps/v1): ${OVERRIDE}.containers[0].imge: field not declared`,
  ],
  'understands several keys of an item': [
    `.${POD}.containers[name="cart"].ports[containerPort=80,protocol="TCP"].hostPort: wrong`,
    onlyCart,
    `${OVERRIDE}.containers[0].ports[0].hostPort: wrong`,
  ],
  'understands the keys of a map, and the step that the API server leaves out': [
    'spec.template.labels[version]: Invalid value: "x y"; spec.template.labels: Invalid value: "x y"',
    { template: { metadata: { labels: { version: 'x y' } } } },
    'spec.overrideSpec.template.metadata.labels.version: Invalid value: "x y"; ' +
      'spec.overrideSpec.template.metadata.labels: Invalid value: "x y"',
  ],
  'understands what is said of a pod': [
    'Pod "x-1" is invalid: spec.containers[1].image: Invalid value; spec.hostNetwork: Forbidden',
    pod({ hostNetwork: true }),
    `Pod "x-1" is invalid: ${POD}.containers[1].image (from the source): Invalid value; ${OVERRIDE}.hostNetwork: Forbidden`,
  ],
  'leaves what the experiment sets elsewhere': [
    'spec.replicas: Invalid; spec.selector: Required',
    {},
    'spec.replicas: Invalid; spec.selector: Required',
  ],
  'leaves what it does not know': [
    `failed expression: object.${POD}.containers[0].image; ${POD}.foo; ${POD}.containers[name="x"].image; spec: Forbidden`,
    {},
    `failed expression: object.${POD}.containers[0].image; ${POD}.foo; ${POD}.containers[name="x"].image; spec: Forbidden`,
  ],
}

describe('what Kubernetes says against a fork', () => {
  for (const [sentence, [message, overrideSpec, expected, type]] of Object.entries(cases))
    it(`M8: ${sentence}`, () => expect(told(message, overrideSpec, type)).to.equal(expected))

  it('M8: takes time in proportion to its length', () => {
    const message = `${'spec'.repeat(20_000)}${'.spec[x'.repeat(20_000)}${'spec.a['.repeat(20_000)}`
    expect(told(message, {})).to.equal(message)
  })
})
