import type { JsonObject } from '../../common/json/json.ts'
import { COMPONENTS } from '../components.ts'

/** A value of the chart. */
export interface ChartValue {
  /** `controller.replicas` */
  readonly value: string
  /** its JSON schema */
  readonly type: JsonObject
  /** absent: what the manifests have at its place */
  readonly default?: unknown
  readonly about: string
}

/** Where a value stands in the manifests. */
export interface Place {
  /** `Deployment/experiment-controller` */
  readonly object: string
  readonly path: readonly (string | number)[]
  readonly value: string
  /**
   * `scalar`: the value itself. `text`: a text, or nothing if it is empty. `block`: a map or list, or nothing if it is
   * empty. `items` and `members`: more of a list or map that is there. Else the name of a template in TEMPLATES.
   */
  readonly as: 'scalar' | 'text' | 'block' | 'items' | 'members' | keyof typeof TEMPLATES
}

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const
const OBJECT = { type: 'object' } as const
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const
const LIST = { type: 'array', items: { type: 'object' } } as const
const WORDS = { type: 'array', items: { type: 'string', minLength: 1 } } as const
/** Of other texts Kubernetes refuses the NetworkPolicy, when half of the release is there. */
const BLOCKS = { type: 'array', items: { type: 'string', pattern: '^[0-9A-Fa-f.:]+/[0-9]{1,3}$' } } as const
/** A variable has all of them, with commas between them. */
const NAMES = { type: 'array', items: { type: 'string', pattern: '^[^,]+$' } } as const
const ISSUER = {
  type: 'object',
  properties: { name: TEXT, kind: TEXT, group: TEXT },
  additionalProperties: false,
  dependencies: { kind: ['name'], group: ['name'] },
} as const

/** Lines that are more than a value in its place. `indent` is that of the line which they replace. */
export const TEMPLATES = {
  image: ['image: {{ include "experiment.image" . | quote }}'],
  pullPolicy: ['{{- with .Values.image.pullPolicy }}', 'imagePullPolicy: {{ . }}', '{{- end }}'],
  issuer: [
    'issuerRef:',
    '  {{- with .Values.certificates.issuerRef }}',
    '  {{- toYaml . | nindent INDENT }}',
    '  {{- else }}',
    '  group: cert-manager.io',
    '  kind: Issuer',
    '  name: experiment-webhook-ca',
    '  {{- end }}',
  ],
  callers: [
    '{{- with .Values.webhook.callers.ipBlocks }}',
    'from:',
    '  {{- range . }}',
    '  - ipBlock:',
    '      cidr: {{ . | quote }}',
    '  {{- end }}',
    '{{- end }}',
  ],
  clientEnv: [
    '{{- with .Values.webhook.callers.clientCA.configMap }}',
    '- name: CLIENT_CA',
    '  value: /etc/webhook/callers/ca.crt',
    '- name: CLIENT_NAMES',
    '  value: {{ join "," $.Values.webhook.callers.clientCA.names | quote }}',
    '{{- end }}',
  ],
  clientMount: [
    '{{- if .Values.webhook.callers.clientCA.configMap }}',
    '- name: callers',
    '  mountPath: /etc/webhook/callers',
    '  readOnly: true',
    '{{- end }}',
  ],
  clientVolume: [
    '{{- with .Values.webhook.callers.clientCA.configMap }}',
    '- name: callers',
    '  configMap:',
    '    name: {{ . | quote }}',
    '{{- end }}',
  ],
  readers: [
    '{{- if .Values.policyReaders.groups }}',
    'subjects:',
    '  {{- range .Values.policyReaders.groups }}',
    '  - apiGroup: rbac.authorization.k8s.io',
    '    kind: Group',
    '    name: {{ . | quote }}',
    '  {{- end }}',
    '{{- end }}',
  ],
  keep: ['{{- if .Values.crds.keep }}', 'helm.sh/resource-policy: keep', '{{- end }}'],
} as const

const POD = ['spec', 'template', 'spec'] as const

/** What both Deployments have. */
const SETTINGS: readonly {
  readonly name: string
  readonly path: Place['path']
  readonly as: Place['as']
  readonly type: JsonObject
  readonly default?: unknown
  readonly about: string
}[] = [
  {
    name: 'replicas',
    path: ['spec', 'replicas'],
    as: 'scalar',
    type: { type: 'integer', minimum: 0 },
    about: 'how many pods; a single one holds up every drain of its node, because of its disruption budget',
  },
  {
    name: 'resources',
    path: [...POD, 'containers', 0, 'resources'],
    as: 'block',
    type: OBJECT,
    about: 'requests and limits of the container',
  },
  {
    name: 'nodeSelector',
    path: [...POD, 'nodeSelector'],
    as: 'block',
    type: TEXTS,
    about: 'labels of the nodes that may run it',
  },
  {
    name: 'tolerations',
    path: [...POD, 'tolerations'],
    as: 'block',
    type: LIST,
    default: [],
    about: 'taints of nodes that it tolerates',
  },
  {
    name: 'affinity',
    path: [...POD, 'affinity'],
    as: 'block',
    type: OBJECT,
    default: {},
    about: 'affinity of its pods',
  },
  {
    name: 'topologySpreadConstraints',
    path: [...POD, 'topologySpreadConstraints'],
    as: 'block',
    type: LIST,
    about: 'how its pods are spread',
  },
  {
    name: 'priorityClassName',
    path: [...POD, 'priorityClassName'],
    as: 'text',
    type: TEXT,
    about: 'its PriorityClass; empty: the default of the cluster',
  },
  {
    name: 'podAnnotations',
    path: ['spec', 'template', 'metadata', 'annotations'],
    as: 'block',
    type: TEXTS,
    default: {},
    about: 'annotations of its pods',
  },
  {
    name: 'podLabels',
    path: ['spec', 'template', 'metadata', 'labels'],
    as: 'members',
    type: TEXTS,
    default: {},
    about: 'more labels of its pods',
  },
  {
    name: 'env',
    path: [...POD, 'containers', 0, 'env'],
    as: 'items',
    type: { type: 'array', items: { type: 'object', required: ['name'] } },
    default: [],
    about: 'more variables of the container; the page about operation lists them',
  },
]

/** Both programs: the groups of their values have these names. */
export const PROGRAMS = ['controller', 'webhook'] as const
/** What the table of places calls the Deployment of a program. */
export const deploymentOf = (program: string) => `Deployment/experiment-${program}`
const WEBHOOK = deploymentOf('webhook')

/** Every place of a value. */
export const PLACES: readonly Place[] = [
  ...PROGRAMS.flatMap((program) => {
    const object = deploymentOf(program)
    const container = [...POD, 'containers', 0]
    const own = SETTINGS.map(({ name, path, as }): Place => ({ object, path, value: `${program}.${name}`, as }))
    return [
      ...own,
      { object, path: [...container, 'image'], value: 'image', as: 'image' } as const,
      { object, path: [...container, 'imagePullPolicy'], value: 'image.pullPolicy', as: 'pullPolicy' } as const,
      { object, path: [...POD, 'imagePullSecrets'], value: 'imagePullSecrets', as: 'block' } as const,
    ]
  }),
  { object: WEBHOOK, path: [...POD, 'containers', 0, 'env'], value: 'clientEnv', as: 'clientEnv' },
  { object: WEBHOOK, path: [...POD, 'containers', 0, 'volumeMounts'], value: 'clientMount', as: 'clientMount' },
  { object: WEBHOOK, path: [...POD, 'volumes'], value: 'clientVolume', as: 'clientVolume' },
  {
    object: 'NetworkPolicy/experiment-webhook',
    path: ['spec', 'ingress', 0, 'from'],
    value: 'webhook.callers.ipBlocks',
    as: 'callers',
  },
  {
    object: 'Certificate/experiment-webhook-tls',
    path: ['spec', 'issuerRef'],
    value: 'certificates.issuerRef',
    as: 'issuer',
  },
  {
    object: 'ClusterRoleBinding/experiment-policy-viewer',
    path: ['subjects'],
    value: 'policyReaders.groups',
    as: 'readers',
  },
]

/** Every value of the chart, in the order of values.yaml. */
export const VALUES: readonly ChartValue[] = [
  {
    value: 'image.repository',
    type: TEXT,
    default: '',
    about: 'the image of both programs in your registry. There is no default: without it nothing is installed',
  },
  { value: 'image.tag', type: TEXT, default: '', about: 'empty: the version of the chart' },
  {
    value: 'image.digest',
    type: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    default: '',
    about: 'such as sha256:0123…; with it the tag does not count',
  },
  {
    value: 'image.pullPolicy',
    type: { type: 'string', enum: ['', 'Always', 'IfNotPresent', 'Never'] },
    default: '',
    about: 'empty: the default of Kubernetes',
  },
  { value: 'imagePullSecrets', type: LIST, default: [], about: 'such as [{name: registry}]' },
  ...COMPONENTS.map(
    ({ folder, value, needs, isDefault = false }): ChartValue => ({
      value,
      type: FLAG,
      default: isDefault,
      about: `the component manifests/${folder}${needs === undefined ? '' : `; it needs components.${needs}`}`,
    }),
  ),
  {
    value: 'watchNamespace',
    type: { type: 'string', maxLength: 63, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$' },
    default: '',
    about: 'the only namespace that the installation serves; empty: all',
  },
  {
    value: 'certificates.mode',
    type: { type: 'string', enum: ['certManager', 'script'] },
    default: 'certManager',
    about: 'certManager, which must be installed first, or script: NOTES.txt prints the command',
  },
  {
    value: 'certificates.issuerRef',
    type: ISSUER,
    default: {},
    about: 'an Issuer or ClusterIssuer of the cluster; empty: an authority of its own',
  },
  ...PROGRAMS.flatMap((program) =>
    SETTINGS.map(
      ({ name, path: _path, as: _as, about, ...rest }): ChartValue => ({
        value: `${program}.${name}`,
        ...rest,
        about: `${program}: ${about}`,
      }),
    ),
  ),
  {
    value: 'webhook.callers.ipBlocks',
    type: BLOCKS,
    default: [],
    about: 'the addresses of the API servers, such as [192.0.2.10/32]; empty: everybody may connect',
  },
  {
    value: 'webhook.callers.clientCA.configMap',
    type: TEXT,
    default: '',
    about: 'a ConfigMap with ca.crt, the authority of the certificates with which API servers call',
  },
  {
    value: 'webhook.callers.clientCA.names',
    type: NAMES,
    default: [],
    about: 'the names in these certificates',
  },
  { value: 'pack.enabled', type: FLAG, default: false, about: 'rules that the API server enforces itself' },
  {
    value: 'monitoring.enabled',
    type: FLAG,
    default: false,
    about: 'metrics, alerts and a dashboard; the Prometheus Operator must be installed first',
  },
  {
    value: 'monitoring.labels',
    type: TEXTS,
    default: {},
    about: 'more labels of these objects, by which your Prometheus selects them',
  },
  { value: 'policyReaders.groups', type: WORDS, default: ['system:authenticated'], about: 'who may read policies' },
  { value: 'crds.install', type: FLAG, default: true, about: 'false: somebody else installs and updates the CRDs' },
  {
    value: 'crds.keep',
    type: FLAG,
    default: true,
    about: 'the CRDs, and so all experiments, stay when the release is removed',
  },
]
