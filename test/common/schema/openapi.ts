import type { SpecSchema } from '../../../common/override/spec-schema.ts'
import { type Compiles, schemaCompiler } from '../../../common/schema/compile.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
/** A reference as the API server writes it for a field with a description: an `allOf` with one member. */
const described = (name: string) => ({ description: 'what it is for', default: {}, allOf: [ref(name)] })
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})
const string = { type: 'string', description: 'text', default: '' }
const integer = { type: 'integer', format: 'int32' }
const keyed = (items: object, ...keys: string[]) => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})

const amounts = { type: 'object', additionalProperties: ref('io.k8s.api.resource.Quantity') }

/** An excerpt of the document of `apps/v1`, with one field for each feature of a schema. */
export const APPS_V1 = {
  components: {
    schemas: {
      Deployment: {
        ...object({ apiVersion: string, kind: string, spec: described('Spec') }),
        'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
      },
      Spec: object(
        {
          minReadySeconds: integer,
          replicas: integer,
          selector: object({}),
          strategy: described('Strategy'),
          template: described('Template'),
        },
        ['selector', 'template'],
      ),
      Strategy: object({
        rollingUpdate: object({ maxSurge: described('IntOrString') }),
        type: { type: 'string', enum: ['Recreate', 'RollingUpdate'] },
      }),
      IntOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
      Template: object({ metadata: described('Meta'), spec: described('Pod') }),
      Meta: object({
        labels: { type: 'object', additionalProperties: string },
        annotations: { type: 'object', additionalProperties: string },
        generateName: string,
        name: string,
      }),
      Pod: object(
        {
          affinity: object({ deep: object({ key: string }, ['key']), key: string }),
          containers: keyed(described('Container'), 'name'),
          ephemeralContainers: keyed(described('Container'), 'name'),
          securityContext: object({ runAsUser: { type: 'integer', format: 'int64' } }),
          shareProcessNamespace: { type: 'boolean' },
          since: { type: 'string', format: 'date-time' },
          terminationGracePeriodSeconds: { type: 'integer', format: 'int64' },
        },
        ['containers'],
      ),
      Container: object(
        {
          args: { type: 'array', items: string },
          env: keyed(described('Env'), 'name'),
          extension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: integer } },
          image: string,
          imagePullPolicy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] },
          name: string,
          ports: keyed(described('Port'), 'containerPort', 'protocol'),
          probe: described('Probe'),
          resources: object({ limits: amounts, requests: amounts }),
        },
        ['name'],
      ),
      Env: object({ name: string, value: string }, ['name']),
      Port: object(
        {
          containerPort: integer,
          name: string,
          probe: described('Probe'),
          protocol: { type: 'string', default: 'TCP' },
        },
        ['containerPort'],
      ),
      Probe: object({ port: integer }, ['port']),
      'io.k8s.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
  },
}

/** The compiled schema of a Deployment. */
export const deploymentSchema = (compiles: Compiles = 'now'): SpecSchema =>
  schemaCompiler(compiles)({ hash: 'of-the-test', schemas: APPS_V1.components.schemas, root: described('Spec') })
